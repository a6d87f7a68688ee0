import type { Signal } from '@preact/signals';
import type { Dock } from '../model/dock.ts';
import type { BrowserMemory } from '../model/file_memory.ts';
import type { Recent } from '../model/recent.ts';
import type { ThemeControl } from '../model/theme.ts';
import type { PageHistory } from '../model/visits.ts';
import type { Workbench } from '../model/workbench.ts';
import type { TraceActions } from './commands/context.ts';
import type { Panel } from './dock/panel.ts';
import type { NoteFrame } from './timeline/frames.ts';

/** What exists once a page, made in `main.tsx` and handed down. */
export interface Page {
  readonly workbench: Workbench;
  readonly theme: ThemeControl;
  readonly dock: Dock;
  /** The panels of the dock, in the order of their tabs. */
  readonly panels: readonly Panel[];
  readonly noteFrame: NoteFrame;
  readonly memory: BrowserMemory;
  /** Files that can be opened again. */
  readonly recent: Recent;
  readonly history: PageHistory;
  /** The actions of the trace on the screen; null while there is none. */
  readonly actions: Signal<TraceActions | null>;
}
