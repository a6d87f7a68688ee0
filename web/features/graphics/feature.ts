import { effect } from '@preact/signals';
import { bringToFront } from '../../page/dock.ts';
import type { Feature } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { findingSource } from '../../trace/findings.ts';
import { wantedFrame } from './frames/wanted.ts';
import { wantedResource } from './resources/wanted.ts';

const offered = ({ trace }: OpenTrace) => trace.info.value?.offers.includes('graphics') ?? false;

/** Frames, resources and state of traces of OpenGL calls. */
export const GRAPHICS: Feature = {
  panels: [
    {
      // Which frames are heavy, and with what.
      id: 'frames',
      title: 'Frames',
      place: 2,
      ofAllThreads: true,
      offered,
      load: async () => (await import('./frames/frames.tsx')).framesView,
    },
    {
      // What textures, buffers and shaders hold, and when they are used.
      id: 'resources',
      title: 'Resources',
      place: 5,
      ofAllThreads: true,
      offered,
      load: async () => (await import('./resources/resources.tsx')).resourcesView,
    },
  ],
  panes: [
    {
      id: 'state',
      title: 'State',
      place: 2,
      offered,
      load: async () => (await import('./state/gl_state.tsx')).glStateOf,
    },
  ],
  facts: [
    {
      offered,
      load: async () => (await import('./graphics_call.tsx')).GraphicsCall,
    },
  ],
  fieldLinks: {
    offered,
    load: async () => (await import('./field_links.ts')).graphicsLink,
  },
  starts: async () => (await import('./starts.ts')).STARTS,
  shows: {
    frame: ({ call, redundant = false }, open, { dock }, isReturn) => {
      wantedFrame(open).value = { call, redundant, isReturn };
      bringToFront(dock, open.trace.info.peek()?.format, 'frames');
    },
    resource: (place, open, { dock }) => {
      wantedResource(open).value = place;
      bringToFront(dock, open.trace.info.peek()?.format, 'resources');
    },
  },
  start: (open) =>
    effect(() => {
      if (!offered(open)) return;
      findingSource(open).value = async () => (await import('./findings.ts')).graphicsFindings(open);
      // The survey reads times of calls, whatever is shown.
      if (!open.trace.companions.value.some(({ kind }) => kind === 'times')) return;
      void import('../../trace/surveys.ts').then(({ surveyOf }) => surveyOf(open));
    }),
};
