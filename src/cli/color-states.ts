const RED = 31
const GREEN = 32
const YELLOW = 33
const GREY = 90

const colors: Readonly<Record<string, number>> = {
  Up: GREEN,
  Operational: GREEN,
  Resolved: GREEN,
  Succeeded: GREEN,
  Degraded: YELLOW,
  Pending: YELLOW,
  'Partial outage': YELLOW,
  'In progress': YELLOW,
  Down: RED,
  Ongoing: RED,
  Failed: RED,
  'Major outage': RED,
  Paused: GREY,
  Completed: GREY,
  Scheduled: GREY,
}

/** A whole cell of a table, or the value after a name: two spaces or the border of the line are on both sides. */
const cells = new RegExp(`(?<=^|  )(${Object.keys(colors).join('|')})(?=  |$)`, 'gm')

/** Colours the states in a text for a terminal. Works on text that is already cleaned and aligned. */
export function colorStates(text: string): string {
  return text.replace(cells, (state) => `\u001b[${colors[state]}m${state}\u001b[0m`)
}

/** Whether to use colours: on a terminal, unless NO_COLOR is set (no-color.org). */
export function usesColor({ NO_COLOR = '' }: Readonly<Record<string, string | undefined>>): boolean {
  return process.stdout.isTTY === true && NO_COLOR === ''
}
