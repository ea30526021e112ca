import { useCallback, useMemo } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'

/** Keeps filters and page in the URL, so that links and the back button work. */
export function useSearchState(): readonly [URLSearchParams, (changes: Record<string, string | null>) => void] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const change = useCallback(
    (changes: Record<string, string | null>) => {
      const next = currentSearch()
      for (const [name, value] of Object.entries(changes)) {
        if (value === null || value === '') next.delete(name)
        else next.set(name, value)
      }
      const text = next.toString()
      navigate(text === '' ? path : `${path}?${text}`, { replace: true })
    },
    [path, navigate],
  )
  return [params, change]
}

/** Newer than the rendered state if two changes come before the next render: the second keeps the first. */
export function currentSearch(): URLSearchParams {
  return new URLSearchParams(location.search)
}
