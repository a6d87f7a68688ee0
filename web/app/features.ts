import { CALLS } from '../features/calls/feature.ts';
import { COMPARE } from '../features/compare/feature.ts';
import { DETAILS } from '../features/details/feature.ts';
import { EVENTS } from '../features/events/feature.ts';
import { EXPORT } from '../features/export/feature.ts';
import { GRAPHICS } from '../features/graphics/feature.ts';
import { NOTES } from '../features/notes/feature.ts';
import { PICTURES } from '../features/pictures/feature.ts';
import { SEARCH } from '../features/search/feature.ts';
import { SQL } from '../features/sql/feature.ts';
import { STEPS } from '../features/steps/feature.ts';
import { VALUES } from '../features/values/feature.ts';
import type { Feature } from '../page/page.ts';
import '../parts/panel.css';

/** All features of the page. */
export const FEATURES: readonly Feature[] = [
  VALUES,
  GRAPHICS,
  PICTURES,
  EVENTS,
  CALLS,
  COMPARE,
  STEPS,
  SQL,
  SEARCH,
  EXPORT,
  NOTES,
  DETAILS,
];
