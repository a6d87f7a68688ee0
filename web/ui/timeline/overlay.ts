import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { OpenTrace } from '../../model/workbench.ts';

/** What code that was loaded on demand draws over the timeline, above its slices. It outlives a trace. */
export const overlay = signal<ComponentType<{ open: OpenTrace }> | null>(null);
