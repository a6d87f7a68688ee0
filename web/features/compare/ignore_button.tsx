import type { Signal } from '@preact/signals';
import { Popover, PopoverButton } from '../../parts/popover.tsx';
import {
  type Flag,
  type LeftOut,
  leftOutInWords,
  type NamedRule,
  namesIn,
  rulesAmong,
  rulesInShort,
  withFlag,
  withNames,
} from './ignore.ts';

/** What rules are about, as far as the traces have it. */
export type Ignorable = Flag | NamedRule;

interface Props {
  readonly rules: Signal<readonly string[]>;
  /** What there can be rules for. */
  readonly offered: readonly Ignorable[];
  /** What the rules have left out; null until that is known. */
  readonly leftOut: LeftOut | null;
  readonly noun: string;
}

const FLAGS: readonly (readonly [Flag, string, string])[] = [
  [
    'addresses',
    'Addresses',
    'A pointer counts by where it is used first, and an instruction by its module or its bytes',
  ],
  ['times', 'Times', 'Arguments that tell a time by their name, and what queries for times return'],
];

const FIELDS: readonly (readonly [NamedRule, string, string])[] = [
  ['functions', 'Functions', 'glGetError, glDebug*'],
  ['arguments', 'Arguments', 'ret, data'],
  ['threads', 'Threads', 'thread 2'],
];

/** What does not count when records are compared: rules, and how much they left out. */
export function IgnoreButton({ rules, offered, leftOut, noun }: Props) {
  const words = leftOut ? leftOutInWords(leftOut, noun) : '';
  const now = rulesAmong(rules.value);
  return (
    <span class="row ignore">
      <PopoverButton
        place="ignore-place"
        look="plain link"
        title="Choose what does not count"
        content={() => <Rules rules={rules} offered={offered} />}
      >
        {now.length > 0 ? `Ignored: ${rulesInShort(now)}` : 'Ignore…'}
      </PopoverButton>
      {now.length > 0 && leftOut && (
        <span class="muted" title={words && 'Left out of A, and of B'} role="status">
          {words ? `${words} left out` : 'nothing left out'}
        </span>
      )}
    </span>
  );
}

function Rules({ rules, offered }: Pick<Props, 'rules' | 'offered'>) {
  const fields = FIELDS.filter(([kind]) => offered.includes(kind));
  return (
    <Popover class="ignore-rules" label="What does not count">
      {FLAGS.filter(([flag]) => offered.includes(flag)).map(([flag, title, says]) => (
        <label key={flag} class="row" title={says}>
          <input
            type="checkbox"
            checked={rules.value.includes(flag)}
            onChange={({ currentTarget }) => {
              rules.value = withFlag(rules.peek(), flag, currentTarget.checked);
            }}
          />
          {title}
        </label>
      ))}
      {fields.map(([kind, title, example]) => (
        <label key={kind} class="ignore-field">
          {title}
          <input
            type="text"
            spellcheck={false}
            placeholder={`such as ${example}`}
            // What is being typed stays when something else is drawn again, such as what was left out.
            defaultValue={namesIn(rules.value, kind)}
            onChange={({ currentTarget }) => {
              rules.value = withNames(rules.peek(), kind, currentTarget.value);
            }}
          />
        </label>
      ))}
      <p class="muted">Names are separated by commas; * stands for any characters.</p>
    </Popover>
  );
}
