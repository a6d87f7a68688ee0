import type { StepFilter, StepKinds } from '../../base/steps_protocol.ts';

/** A condition of a filter of steps: its key in a list, its words, and what it sets. */
export interface StepChoice {
  readonly key: string;
  readonly words: string;
  readonly sets: Partial<StepFilter>;
}

/** The conditions that tell the steps of a trace apart. */
export function choicesOf({ user, kernel, modes, threads }: StepKinds): readonly StepChoice[] {
  const privileges = user && kernel ? [false, true] : [];
  return [
    ...privileges.map((is) => ({ key: is ? 'kernel' : 'user', words: is ? 'Kernel' : 'User', sets: { kernel: is } })),
    ...(modes.length > 1 ? modes : []).map(({ number, name }) => ({
      key: `mode ${number}`,
      words: name === '' ? 'No mode' : name,
      sets: { mode: number },
    })),
    ...(threads.length > 1 ? [...threads] : []).map((thread) => ({
      key: `thread ${thread}`,
      words: `Thread ${thread}`,
      sets: { thread },
    })),
  ];
}

/** A list to choose a condition from, and what is chosen. */
export interface StepList {
  readonly choices: readonly StepChoice[];
  readonly chosen: StepChoice | null;
}

/**
 * The lists that a filter is chosen by: one for each of its conditions, and one more while there are others. A list has the conditions that
 * the lists before it leave open. Conditions are in the order of the filter's keys, which {@link changed} decides.
 */
export function listsOf(choices: readonly StepChoice[], filter: StepFilter | null): readonly StepList[] {
  const lists: StepList[] = [];
  let open = choices;
  for (const [part, value] of Object.entries(filter ?? {})) {
    const chosen = open.find(({ sets }) => value !== null && sets[part as keyof StepFilter] === value);
    if (!chosen) continue;
    lists.push({ choices: open, chosen });
    open = open.filter(({ sets }) => !(part in sets));
  }
  if (open.length > 0 || lists.length === 0) lists.push({ choices: open, chosen: null });
  return lists;
}

/** The filter once another condition is chosen in a list, or none: null if nothing is left. Conditions keep the order of the lists. */
export function changed(lists: readonly StepList[], at: number, wanted: StepChoice | null): StepFilter | null {
  const conditions = lists.map(({ chosen }, i) => (i === at ? wanted : chosen)?.sets ?? {});
  const joined: Partial<StepFilter> = Object.assign({}, ...conditions);
  const { kernel = null, mode = null, thread = null } = joined;
  const filter = { ...joined, kernel, mode, thread };
  return Object.values(filter).some((value) => value !== null) ? filter : null;
}
