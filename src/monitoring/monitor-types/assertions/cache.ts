/** What `compile` makes of texts; the least recently used one leaves first. */
export function cacheOf<T>(capacity: number, compile: (text: string) => T): (text: string) => T {
  const cached = new Map<string, T>()
  return (text) => {
    const compiled = cached.get(text) ?? compile(text)
    cached.delete(text)
    cached.set(text, compiled)
    if (cached.size > capacity) cached.delete(cached.keys().next().value as string)
    return compiled
  }
}
