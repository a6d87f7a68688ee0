import { expect, test } from 'vitest';
import { leftOutInWords, namesIn, rulesAmong, rulesInShort, withFlag, withNames } from './ignore.ts';

test('names in a field are rules, and rules are names in a field', () => {
  const rules = withNames(['times', 'name:old', 'arg.ret'], 'functions', ' glGetError,glDebug* ,, f(int, char)');
  expect(rules).toEqual(['times', 'arg.ret', 'name:glGetError', 'name:glDebug*', 'name:f(int, char)']);
  expect(namesIn(rules, 'functions')).toBe('glGetError, glDebug*, f(int, char)');
  expect(withNames(rules, 'functions', ' ')).toEqual(['times', 'arg.ret']);
  expect(namesIn(rules, 'threads')).toBe('');
});

test('a flag is set once', () => {
  expect(withFlag(withFlag(['name:a'], 'times', true), 'times', true)).toEqual(['times', 'name:a']);
  expect(withFlag(['times', 'name:a'], 'times', false)).toEqual(['name:a']);
});

test('what is no rule is passed over, and rules are short in words', () => {
  const some = ['addresses', 'adresses', 'name:', 'name:x', `name:${'x'.repeat(300)}`, 'thread:main', 'arg.p'];
  expect(rulesAmong(some)).toEqual(['addresses', 'name:x', 'thread:main', 'arg.p']);
  expect(rulesInShort(rulesAmong(some))).toBe('addresses, x, main, p');
  expect(rulesAmong(Array.from({ length: 1000 }, () => 'times'))).toHaveLength(100);
});

test('what was left out is said for both', () => {
  const none = [0, 0] as const;
  expect(leftOutInWords({ threads: none, records: none, values: none }, 'call')).toBe('');
  expect(
    leftOutInWords({ threads: [1, 0], records: [1200, 7], values: [0, 1] }, 'call').replaceAll('\u00a0', ' '),
  ).toBe('1,200 + 7 calls, 0 + 1 values, 1 + 0 threads');
});
