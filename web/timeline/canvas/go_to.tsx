import { useSignal } from '@preact/signals';
import { goTo } from '../go_to.ts';
import type { OpenTrace } from '../open_trace.ts';
import { GO_TO_ID } from './fields.ts';

/**
 * A field for a position or a name. Enter goes there: again, to the next slice of the name. What it does not understand it says
 * below.
 */
export function GoTo({ open }: { open: OpenTrace }) {
  const wrong = useSignal('');
  return (
    <>
      <input
        id={GO_TO_ID}
        class="go-to"
        type="text"
        placeholder="Go to…"
        aria-label="Go to a position or a name"
        aria-invalid={wrong.value !== ''}
        aria-describedby="go-to-wrong"
        spellcheck={false}
        autocomplete="off"
        onInput={() => (wrong.value = '')}
        onBlur={() => (wrong.value = '')}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key === 'Enter') {
            void goTo(event.currentTarget.value, open).then((sentence) => {
              wrong.value = sentence;
            });
          }
        }}
      />
      <p id="go-to-wrong" class="go-to-wrong floating" role="alert" hidden={wrong.value === ''}>
        {wrong.value}
      </p>
    </>
  );
}
