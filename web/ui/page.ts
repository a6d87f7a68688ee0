import type { Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Dispose } from '../base/scope.ts';
import type { Dock } from '../model/dock.ts';
import type { BrowserMemory } from '../model/file_memory.ts';
import type { OpenTrace } from '../model/open_trace.ts';
import type { Recent } from '../model/recent.ts';
import type { ThemeControl } from '../model/theme.ts';
import type { PageHistory } from '../model/visits.ts';
import type { Workbench } from '../model/workbench.ts';
import type { TraceActions } from './commands/context.ts';
import type { NoteFrame } from './timeline/frames.ts';

/** What exists once a page, made in `main.tsx` and handed down. */
export interface Page {
  readonly workbench: Workbench;
  readonly theme: ThemeControl;
  readonly dock: Dock;
  readonly features: readonly Feature[];
  readonly noteFrame: NoteFrame;
  readonly memory: BrowserMemory;
  /** Files that can be opened again. */
  readonly recent: Recent;
  readonly history: PageHistory;
  /** The actions of the trace on the screen; null while there is none. */
  readonly actions: Signal<TraceActions | null>;
}

/** What a feature adds to the page: its `feature.ts`, and a line of `features.ts`. */
export interface Feature {
  readonly panels?: readonly Panel[];
  /** What it shows of the selection. */
  readonly panes?: readonly Pane[];
  /** Begins when a trace comes to the screen. */
  readonly start?: (open: OpenTrace, page: Page) => Dispose;
}

/** What is shown of a trace beside its timeline, once it is chosen. */
export interface Pane {
  /** Stored in the browser if it was in front, so it never changes. */
  readonly id: string;
  readonly title: string;
  /** Tabs are in ascending order of this. */
  readonly place: number;
  /** Whether this trace has it; every trace has it if left out. */
  readonly offered?: (open: OpenTrace) => boolean;
  /** Loads what makes it of a trace when it first comes to the front. */
  readonly load: () => Promise<(open: OpenTrace, page: Page) => PanelView>;
}

/** A panel of the dock. */
export interface Panel extends Pane {
  /** The title for this trace, if it differs. */
  readonly titleFor?: (open: OpenTrace) => string;
  /** Further values of `TraceInfo.firstTab` that mean this panel: one of its views is in front then. */
  readonly views?: readonly string[];
  /** Whether the panel of this trace has its place in the menu *More*: one person in ten needs it. */
  readonly isMore?: (open: OpenTrace) => boolean;
  /** The panel shows the whole file, regardless of the range and the thread. */
  readonly unscoped?: boolean;
  /** The panel shows the range, and all threads. */
  readonly ofAllThreads?: boolean;
}

/** A panel or pane of one trace. */
export interface PanelView {
  /** Mounted while the tab is in front. */
  readonly component: ComponentType<PanelProps>;
  /** Called when the trace leaves the screen. */
  readonly dispose?: Dispose;
}

/** What a panel's component is given. */
export interface PanelProps {
  readonly theme: ThemeControl;
}

/** The panels of all features, or their panes, in the order of their tabs. */
export function rowsOf<Of extends 'panels' | 'panes'>(
  { features }: Page,
  of: Of,
): readonly NonNullable<Feature[Of]>[number][] {
  return features.flatMap((feature): readonly Panel[] => feature[of] ?? []).sort((a, b) => a.place - b.place);
}
