import { useCallback, useMemo } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'

/** What is filtered and which page is shown stand in the address, so that they can be linked to and gone back to. */
export function useSearchState(): readonly [URLSearchParams, (changes: Record<string, string | null>) => void] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const change = useCallback(
    (changes: Record<string, string | null>) => {
      const next = new URLSearchParams(search)
      for (const [name, value] of Object.entries(changes)) {
        if (value === null || value === '') next.delete(name)
        else next.set(name, value)
      }
      const text = next.toString()
      navigate(text === '' ? path : `${path}?${text}`, { replace: true })
    },
    [search, path, navigate],
  )
  return [params, change]
}
