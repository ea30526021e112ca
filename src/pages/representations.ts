/** Another way to read a page: a feed, a calendar, a document for programs. */
export interface Representation {
  readonly href: string
  /** The media type. */
  readonly type: string
  readonly title: string
}

/**
 * Every other way to read a page, in the order in which they are offered. The head of the page names them for programs
 * and its foot for people; whoever adds a representation adds it here.
 */
export function representationsOf(_root: string): readonly Representation[] {
  return []
}
