import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Details, Value } from '../base/protocol.ts';
import type { Dispose } from '../base/scope.ts';
import type { ResourceKind } from '../base/survey_protocol.ts';
import type { Chord } from '../parts/chord.ts';
import type { RowTarget, TableTarget } from '../parts/menu/request.ts';
import type { ThemeControl } from '../parts/theme.ts';
import type { NoteFrame } from '../timeline/canvas/frames.ts';
import type { PointerPlace } from '../timeline/canvas/view_state.ts';
import type { LaidTrack } from '../timeline/layout.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import type { Step } from '../timeline/pointing.ts';
import type { Undo } from '../timeline/undo.ts';
import type { PageHistory, Visits } from '../timeline/visits.ts';
import type { BrowserMemory } from '../trace/file_memory.ts';
import type { Pointed } from '../trace/pointed.ts';
import type { Awaited } from './awaited.ts';
import type { Copies } from './copies.ts';
import type { Dock } from './dock.ts';
import type { Recent } from './recent.ts';
import type { Workbench } from './workbench.ts';

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
  /** Files of which this browser has a copy. */
  readonly copies: Copies;
  readonly history: PageHistory;
  /** The view that the address is a link to, while its file is not open; null without one. */
  readonly awaited: Signal<Awaited | null>;
  /** Opens the browser's file dialog. */
  chooseFile(): void;
  /** Opens the browser's file dialog for a trace to compare with the open one. */
  chooseOther(): void;
  /** Those of the page and of all features. Code that is loaded later adds its own. */
  readonly commands: Command[];
  /** The timeline on the screen; null while there is none. */
  readonly surface: Signal<Surface | null>;
  /** The modal dialog that is open; null without one. */
  readonly dialog: Signal<LoadDialog | null>;
  readonly search: SearchField;
  /** Lines about the page itself, below the header. */
  readonly news: Signal<readonly ComponentType[]>;
}

/** Loads a modal dialog of the page. It is the dialog, too: the same function, the same dialog. */
export type LoadDialog = () => Promise<ComponentType<DialogProps>>;

/** What such a dialog is given. */
export interface DialogProps {
  readonly page: Page;
  readonly close: () => void;
}

/** The id of the field of the search. */
export const SEARCH_ID = 'find-field';

/** What the field of the search is narrowed to. */
export type SearchMode = 'all' | 'commands' | 'places';

/** The field of the search in the header, as commands know it. */
export interface SearchField {
  readonly mode: Signal<SearchMode>;
  /** The field takes the focus as soon as it is there, and sets this to false. */
  readonly isAsked: Signal<boolean>;
  /** What was typed before the code of the field was there. */
  readonly early: Signal<string>;
}

/** The timeline of a trace on the screen, as far as commands need its elements. */
export interface Surface {
  readonly open: OpenTrace;
  /** The element of the timeline, the home of the keyboard focus. */
  readonly area: HTMLElement;
  /** null while the pointer is elsewhere. */
  readonly pointer: ReadonlySignal<PointerPlace | null>;
  /** The places that were looked at. */
  readonly visits: Visits;
  /** What the user has done, and can take back. */
  readonly undo: Undo;
  /** Whether the field that filters tracks is open. */
  readonly filtering: Signal<boolean>;
  /** Scrolls the tracks by CSS pixels of the layout. */
  scrollBy(pixels: number): void;
  /** Brings a slice or an instant into view. */
  bringIntoView(pointed: Pointed): void;
  /** Selects the first slice on the screen. */
  selectFirst(): void;
  /** Selects what is nearest in the next row below (1) or above (-1) that has something, of the same or another track. */
  stepRow(by: 1 | -1): Promise<void>;
  /** Selects a neighbour of the selected item. */
  step(to: Step): Promise<void>;
  /** The track that commands act on, if it is shown. */
  currentTrack(): LaidTrack | null;
  /** Makes a track the current one, shows it if it is hidden, and brings it into view. */
  goToTrack(id: number): void;
  /** Clears the selection or the range, the more recent one first, and then the highlighted function. */
  clearLatest(): void;
}

/** What a command acts on. */
export interface CommandContext {
  readonly page: Page;
  /** null while no trace is on the screen. */
  readonly surface: Surface | null;
  /** The row that a menu was opened on; null for a menu of anything else, and for keys. */
  readonly row: RowTarget | null;
  /** The table that a menu was opened for, as a whole; null for a menu of anything else, and for keys. */
  readonly table: TableTarget | null;
}

/** Something that the user can do, by keyboard, from a menu or from the palette. */
export interface Command {
  /** Stable word for menus, tests and links. */
  readonly id: string;
  /** Verb and object in sentence case. */
  readonly title: string;
  /** The keys in the order of the sheet. */
  readonly keys: readonly Chord[];
  /** Further keys, which the sheet leaves out. */
  readonly alsoKeys?: readonly Chord[];
  /** Where it is on the sheet of keys: in the group with that title. Commands of one row have the same words. */
  readonly sheet?: { readonly group: string; readonly does?: string };
  /** The part of menus that it is in. It is in the menus that have the part: see `MENUS`. */
  readonly part?: string;
  /** What it would act on now, such as the name of a track. */
  readonly about?: (context: CommandContext) => string;
  /** Menus add what it would act on to its title. */
  readonly saysAbout?: true;
  /** The title in a menu, where it is clear what the command acts on. */
  readonly inMenu?: string;
  /** The keys work while a dialog is open. */
  readonly overDialogs?: boolean;
  /** Whether the command has an effect now. A disabled command leaves its keys to the browser. */
  readonly enabled: (context: CommandContext) => boolean;
  readonly run: (context: CommandContext) => void;
}

/** A part of the sheet of keys. */
export interface SheetGroup {
  readonly title: string;
  /** Groups are in ascending order of this. */
  readonly place: number;
  /** It is only about traces that consist of steps to walk through. */
  readonly ofSteps?: true;
  /** What only the pointer or one control does, before the commands and after them: labels of keys with spaces between, and what they do. */
  readonly first?: readonly (readonly [keys: string, does: string])[];
  readonly last?: readonly (readonly [keys: string, does: string])[];
}

/** What a feature adds to the page: its `feature.ts`, and a line of `features.ts`. */
export interface Feature {
  readonly panels?: readonly Panel[];
  /** What it shows of the selection. */
  readonly panes?: readonly Pane[];
  readonly commands?: readonly Command[];
  readonly sheet?: readonly SheetGroup[];
  /** Fields of Details. */
  readonly facts?: readonly Facts[];
  /** Where fields of Details lead. */
  readonly fieldLinks?: FieldLinks;
  /** The places that it shows, which links of other features lead to. */
  readonly shows?: Shows;
  /** What it shows of the trace while nothing is selected. */
  readonly overviews?: readonly Overview[];
  /** What it has in the header, once a trace is recognised. */
  readonly button?: ComponentType<{ open: OpenTrace; page: Page }>;
  /** Loads its questions for *Start here*. */
  readonly starts?: () => Promise<readonly Start[]>;
  /** Begins when a trace comes to the screen. */
  readonly start?: (open: OpenTrace, page: Page) => Dispose;
}

/** A question that the page answers at once, for someone who does not know the page yet. */
export interface Start {
  readonly id: string;
  /** Questions are in ascending order of this, and the first few are shown. */
  readonly place: number;
  /** The question for this trace; null if the trace has no answer to it, or not yet. Subscribes. */
  readonly asked: (open: OpenTrace, page: Page) => Asked | null;
  /** Shows the answer. Called once the trace is read. */
  readonly answer: (open: OpenTrace, page: Page) => void;
}

/** A question about a trace. */
export interface Asked {
  /** The question itself. */
  readonly words: string;
  /** The beginning of the answer, such as a number, where it is known. */
  readonly figure?: string;
  /** Where the answer comes from, so that the way is known the next time. */
  readonly way: string;
}

/** What a link can lead to that a feature shows, by kind, with what says which one. */
export interface Places {
  /** The frame of a call in the tree of frames. `redundant`: opened, with the calls that set state to its current value. */
  readonly frame: { readonly call: number; readonly redundant?: boolean };
  /** A resource of an apitrace: that with a name at a call. Names are used again. */
  readonly resource: { readonly kind: ResourceKind; readonly name: number; readonly call: number };
  /** A statement, by its name in the file. */
  readonly statement: { readonly name: string };
  /** A variable, by its name, and its type unless the first of any type is meant. */
  readonly variable: { readonly name: string; readonly type?: string };
  /**
   * What is known of an operand of the selected step, which Details call `name`, a register or `[0x7ffe10]`: the steps that read or
   * write it, or where its value comes from.
   */
  readonly operand: { readonly name: string; readonly written: boolean; readonly shows: 'accesses' | 'origin' };
}

/** Where a link leads: to a call, step or point by its position, or to what a feature shows. */
export type Place =
  | { readonly to: 'position'; readonly at: number }
  | { [Kind in keyof Places]: { readonly to: Kind } & Places[Kind] }[keyof Places];

/**
 * How a feature shows places of the kinds that it knows: it brings the panel to the front. `isReturn`: the user has gone back, so that the
 * selection of that moment returns by itself.
 */
export type Shows = {
  readonly [Kind in keyof Places]?: (place: Places[Kind], open: OpenTrace, page: Page, isReturn: boolean) => void;
};

/** What a feature shows of a trace as a whole, beside its timeline. */
export interface Overview {
  readonly offered: (open: OpenTrace) => boolean;
  readonly load: () => Promise<ComponentType<{ open: OpenTrace; page: Page }>>;
}

/** What a feature knows of the selected item, for Details. */
export interface Facts {
  readonly offered: (open: OpenTrace, details: Details) => boolean;
  /** Loads names and values, for the first item that they are offered to. */
  readonly load: () => Promise<ComponentType<{ open: OpenTrace; details: Details }>>;
}

/** What names something in Details that a feature shows. */
export interface FieldLinks {
  readonly offered: (open: OpenTrace) => boolean;
  /** Loads what says where a field leads: null if nowhere. That subscribes to what it depends on. */
  readonly load: () => Promise<(field: NamedField) => FieldLink | null>;
}

/** A field of the selected item. */
export interface NamedField {
  readonly open: OpenTrace;
  readonly details: Details;
  /** The labels that lead to it; of an element of a list, its index is the last. */
  readonly path: readonly string[];
  readonly value: Value;
}

/** Where a field leads. */
export interface FieldLink {
  readonly place: Place;
  /** What the click does. */
  readonly title: string;
  /** What names the place: the label of the field or its value. */
  readonly by: 'label' | 'value';
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
  /** Whether the panel of this trace is in the menu *More* if there are too many for tabs: one person in ten needs it. */
  readonly isMore?: (open: OpenTrace) => boolean;
  /**
   * The panel shows two traces that are compared, {@link OpenTrace.pair}: it stays as it is when the other one comes to the front. It is made
   * again when they change places.
   */
  readonly ofPair?: true;
  /** Whether others wait for what the panel finds out: it is made although it is not in front. Subscribes. */
  readonly isAsked?: (open: OpenTrace) => boolean;
  /** The panel shows the range, and all threads. */
  readonly ofAllThreads?: boolean;
  /** The panel has something to show of a trace without anything in it. */
  readonly ofEmpty?: boolean;
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
