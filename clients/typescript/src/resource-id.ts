/** Whether a value can stand in a path. An empty one or one of dots would make the path of another operation. */
export function isResourceId(value: unknown): value is string {
  return typeof value === 'string' && !/^\s*\.{0,2}\s*$/.test(value)
}
