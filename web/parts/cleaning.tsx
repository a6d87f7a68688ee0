import { type Signal, useSignal } from '@preact/signals';
import {
  CLEAN_CHOICES,
  CLEAN_CLASSES,
  type CleanChoices,
  type CleanClass,
  type Cleaned,
  KEEP_ALL,
} from '../base/export_protocol.ts';
import { formatCount, shortened } from '../base/format.ts';
import './cleaning.css';

/** What the kinds are, for people. */
const KINDS: Readonly<Record<CleanClass, { readonly label: string; readonly title: string }>> = {
  environment: { label: 'Environment variables', title: 'Of the traced program and of the tracer (frames)' },
  paths: { label: 'Paths', title: 'Names of files and modules, and texts with a path in them' },
  texts: { label: 'Other texts', title: 'Strings of the program, such as shaders, labels, users and hosts' },
  payloads: { label: 'Payloads', title: 'Contents of buffers, payloads of events, values of registers and memory' },
};
const WORDS = { keep: 'Keep', hash: 'Hash', omit: 'Omit' } as const;

interface Props {
  readonly choices: Signal<CleanChoices>;
  /** What a preview is of, besides the choices: that of something else is out of date. */
  readonly of: string;
  /** Looks for what would be hashed and left out. Rejects with a sentence. */
  readonly preview: () => Promise<Cleaned>;
}

/** What a preview is of, and what it has found or why not; neither while it is made. */
interface Preview {
  readonly choices: CleanChoices;
  readonly what: string;
  readonly cleaned: Cleaned | null;
  readonly failure: string;
}

/** What to hash and to leave out, with a preview of what that does. */
export function Cleaning({ choices: chosen, of: what, preview: look }: Props) {
  const choices = chosen.value;
  const latest = useSignal<Preview | null>(null);
  // That of other choices is out of date.
  const isLatest = latest.value?.choices === choices && latest.value.what === what;
  const shown = isLatest ? latest.value : null;
  const isLooking = shown !== null && !shown.cleaned && shown.failure === '';
  const changed = CLEAN_CLASSES.filter((of) => choices[of] !== 'keep').length;
  const preview = async () => {
    const mine = { choices, what, cleaned: null, failure: '' };
    latest.value = mine;
    const found = await look().then(
      (cleaned) => ({ ...mine, cleaned }),
      (thrown: Error) => ({ ...mine, failure: thrown.message }),
    );
    if (latest.peek() === mine) latest.value = found;
  };
  return (
    <details class="cleaning">
      <summary>
        Sanitize <span class="muted">{changed === 0 ? 'nothing' : `${changed} of ${CLEAN_CLASSES.length} kinds`}</span>
      </summary>
      <div class="cleaning-choices">
        {CLEAN_CLASSES.map((of) => (
          <label key={of} title={KINDS[of].title}>
            <span>{KINDS[of].label}</span>
            <select
              value={choices[of]}
              onChange={(event) => {
                const value = CLEAN_CHOICES.find((choice) => choice === event.currentTarget.value) ?? 'keep';
                chosen.value = { ...choices, [of]: value };
              }}
            >
              {CLEAN_CHOICES.map((choice) => (
                <option key={choice} value={choice}>
                  {WORDS[choice]}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <p class="row">
        <button type="button" disabled={isLooking} onClick={() => void preview()}>
          Preview
        </button>
        {changed > 0 && (
          <button type="button" class="plain" onClick={() => (chosen.value = KEEP_ALL)}>
            Keep all
          </button>
        )}
        {isLooking && <span class="muted">Searching…</span>}
      </p>
      {shown?.failure && <p role="alert">{shown.failure}</p>}
      {shown?.cleaned && (
        <section class="cleaning-preview" aria-label="Preview">
          {CLEAN_CLASSES.map((of, i) => {
            const examples = shown.cleaned!.examples.filter((example) => example.of === of).slice(0, 6);
            return (
              examples.length > 0 && (
                <dl key={of}>
                  <dt class="muted">
                    {KINDS[of].label}: {formatCount(shown.cleaned!.found[i] ?? 0)} found
                  </dt>
                  {examples.map(({ before, after }) => (
                    <dd key={before}>
                      <code>{shortened(before, 60)}</code>
                      {after !== before && (
                        <code class="after">{after === '' ? 'left out' : shortened(after, 60)}</code>
                      )}
                    </dd>
                  ))}
                </dl>
              )
            );
          })}
          {shown.cleaned.examples.length === 0 && <p class="muted">None of these were found.</p>}
        </section>
      )}
    </details>
  );
}
