import type { ComponentChildren } from 'preact';
import type { OpenTrace } from '../timeline/open_trace.ts';
import type { Page, Place } from './page.ts';
import { showPlace } from './places.ts';

interface Props {
  readonly open: OpenTrace;
  readonly page: Page;
  readonly place: Place;
  /** What it leads to, where the text does not say it. */
  readonly title?: string | undefined;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** The name of something that is shown elsewhere. A click goes there. */
export function PlaceLink({ open, page, place, title, class: name, children }: Props) {
  return (
    <button
      type="button"
      class={name === undefined ? 'plain link' : `plain link ${name}`}
      title={title}
      onClick={(event) => {
        // A link in a row of a table is not a click on the row.
        event.stopPropagation();
        showPlace(place, open, page);
      }}
    >
      {children}
    </button>
  );
}
