import { SEARCH } from './find/feature.ts';
import { GRAPHICS } from './gl_state/feature.ts';
import { EXPORT } from './header/export_feature.ts';
import { NOTES } from './notes/feature.ts';
import type { Feature } from './page.ts';
import { CALLS } from './panels/calls/feature.ts';
import { EVENTS } from './panels/events/feature.ts';
import { SQL } from './panels/query/feature.ts';
import { VALUES } from './panels/statements/feature.ts';
import { PICTURES } from './replay/feature.ts';
import { STEPS } from './state/feature.ts';
import './panels/panel.css';

/** All features of the page. */
export const FEATURES: readonly Feature[] = [
  VALUES,
  GRAPHICS,
  PICTURES,
  EVENTS,
  CALLS,
  STEPS,
  SQL,
  SEARCH,
  EXPORT,
  NOTES,
];
