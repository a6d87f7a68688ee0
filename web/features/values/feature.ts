import { effect } from '@preact/signals';
import { watch } from '../../base/watch.ts';
import { bringToFront, VARIABLES } from '../../page/dock.ts';
import type { Feature } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { findingSource } from '../../trace/findings.ts';
import { wantedStatement } from '../../trace/wanted_statement.ts';
import { POINT_COMMANDS } from './commands.ts';
import { wantedVariable } from './variables/wanted.ts';

const offered = ({ trace }: OpenTrace) => trace.info.value?.offers.includes('values') ?? false;

/** Statements and values of variables, for traces that have them. */
export const VALUES: Feature = {
  panels: [
    {
      // How often execution reached each statement, and the values that it saw there each time.
      id: 'statements',
      title: 'Statements',
      place: 1,
      ofAllThreads: true,
      offered,
      load: async () => (await import('./statements/statements.tsx')).statementsView,
    },
    {
      // Which values each variable has had, and where the buffers are that pointers point into.
      id: VARIABLES,
      title: 'Variables',
      place: 3,
      ofAllThreads: true,
      offered,
      load: async () => (await import('./variables/variables.tsx')).variablesView,
    },
  ],
  commands: POINT_COMMANDS,
  starts: async () => (await import('./starts.ts')).STARTS,
  shows: {
    statement: ({ name }, open) => {
      wantedStatement(open).value = name;
    },
    variable: (variable, open, { dock }) => {
      wantedVariable(open).value = variable;
      bringToFront(dock, open.trace.info.peek()?.format, VARIABLES);
    },
  },
  start: (open, { dock }) => {
    const stops = [
      effect(() => {
        if (!offered(open)) return;
        findingSource(open).value = async () => (await import('./findings.ts')).valuesFindings(open);
      }),
      watch([wantedStatement(open)], () => {
        if (wantedStatement(open).peek() !== '') bringToFront(dock, open.trace.info.peek()?.format, 'statements');
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
