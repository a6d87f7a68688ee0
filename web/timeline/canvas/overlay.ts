import { type Signal, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { type Opened, perTrace } from '../../trace/per_trace.ts';

/** What code that was loaded on demand draws over the timeline of a trace, above its slices. */
export const overlayOf = perTrace((_: Opened): Signal<ComponentType | null> => signal(null));
