import { useEffect, useRef } from 'preact/hooks';

interface KeyGroup {
  readonly title: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
}

const GROUPS: readonly KeyGroup[] = [
  {
    title: 'Move',
    keys: [
      ['Drag', 'pan, in both directions'],
      ['Wheel', 'zoom at the pointer'],
      ['Shift Wheel', 'scroll sideways'],
      ['Alt Wheel', 'scroll the tracks'],
      ['W S', 'zoom in, out'],
      ['A D  or  ← →', 'left, right'],
      ['↑ ↓', 'scroll the tracks'],
      ['0', 'whole trace'],
      ['G', 'go to a position'],
    ],
  },
  {
    title: 'Select',
    keys: [
      ['Click', 'select'],
      ['Double-click', 'fit what is under the pointer'],
      ['F', 'fit the selection'],
      ['Enter', 'select the first one on the screen'],
      ['.  ,', 'next, previous in the row'],
      ['[  ]', 'caller, longest callee'],
      ['Escape', 'take it back, the latest first'],
    ],
  },
  {
    title: 'Range, for all panels below',
    keys: [
      ['Shift Drag', 'select a range'],
      ['R', 'the range of the selection, or of what is on the screen'],
      ['Escape', 'the whole trace again'],
    ],
  },
  {
    title: 'Flame graph and functions',
    keys: [
      ['Click', 'look closer at a node; make a function stand out'],
      ['↑ ↓ ← →', 'caller, callee, neighbours; the rows of the table'],
      ['Enter', 'look closer'],
      ['Escape', 'back to where one came from'],
    ],
  },
  {
    title: 'Page',
    keys: [
      ['Ctrl O', 'open a trace'],
      ['?', 'these keys'],
    ],
  },
];

/** All keys and gestures, over the page. */
export function KeysDialog({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-labelledby="keys-title"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
      onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
    >
      <div class="keys-inner">
        <h2 id="keys-title">Keys</h2>
        <div class="keys-groups">
          {GROUPS.map((group) => (
            <section key={group.title}>
              <h3>{group.title}</h3>
              <dl>
                {group.keys.map(([keys, does]) => (
                  <div key={keys}>
                    <dt>{keys.split(' ').map((key, i) => keyOrWord(key, i))}</dt>
                    <dd>{does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </dialog>
  );
}

function keyOrWord(key: string, i: number) {
  if (key === '' || key === 'or') return <span key={i}> {key} </span>;
  return <kbd key={i}>{key}</kbd>;
}
