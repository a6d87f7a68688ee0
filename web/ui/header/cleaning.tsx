import { useSignal } from '@preact/signals';
import { CLEAN_CHOICES, CLEAN_CLASSES, type CleanClass } from '../../base/export_protocol.ts';
import { formatCount, shortened } from '../../base/format.ts';
import { type ExportScope, type Exports, KEEP_ALL, type OfferedFormat } from '../../model/export.ts';

/** What the kinds are, for people. */
const KINDS: Readonly<Record<CleanClass, { readonly label: string; readonly title: string }>> = {
  environment: { label: 'Environment variables', title: 'Of the traced program and of the tracer (frames)' },
  paths: { label: 'Paths', title: 'Names of files and modules, and texts with a path in them' },
  texts: { label: 'Other texts', title: 'Strings of the program, such as shaders, labels, users and hosts' },
  payloads: { label: 'Payloads', title: 'Contents of buffers, payloads of events, values of registers and memory' },
};
const WORDS = { keep: 'Keep', hash: 'Hash', omit: 'Leave out' } as const;

interface Props {
  readonly exports: Exports;
  /** What would be looked at for a preview: the trace's own format if there is one. */
  readonly format: OfferedFormat;
  readonly scope: ExportScope;
}

/** What to hash and to leave out, with a preview of what that does. */
export function Cleaning({ exports, format, scope }: Props) {
  const choices = exports.choices.value;
  const looking = useSignal(false);
  const looked = useSignal(false);
  const cleaned = exports.cleaned.value;
  const changed = CLEAN_CLASSES.filter((of) => choices[of] !== 'keep').length;
  const preview = async () => {
    looking.value = true;
    await exports.preview(format, scope);
    [looking.value, looked.value] = [false, true];
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
                exports.choices.value = { ...choices, [of]: value };
                looked.value = false;
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
      <p class="cleaning-actions">
        <button type="button" disabled={looking.value} onClick={() => void preview()}>
          Preview
        </button>
        {choices !== KEEP_ALL && (
          <button type="button" class="plain" onClick={() => (exports.choices.value = KEEP_ALL)}>
            Keep all
          </button>
        )}
        {looking.value && <span class="muted">Looking…</span>}
      </p>
      {looked.value && cleaned && (
        <section class="cleaning-preview" aria-label="Preview">
          {CLEAN_CLASSES.map((of, i) => {
            const examples = cleaned.examples.filter((example) => example.of === of).slice(0, 6);
            return (
              examples.length > 0 && (
                <dl key={of}>
                  <dt class="muted">
                    {KINDS[of].label}: {formatCount(cleaned.found[i] ?? 0)} found
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
          {cleaned.examples.length === 0 && <p class="muted">None of these were found.</p>}
        </section>
      )}
    </details>
  );
}
