import { QueryClient } from '@tanstack/preact-query'
import { isTemporary } from './api-error.ts'

const MOST_RETRIES = 2

/** Answers stay good until the event stream says otherwise, or for a minute where it says nothing. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 60_000,
        gcTime: 300_000,
        retry: (count, problem) => isTemporary(problem) && count < MOST_RETRIES,
      },
      mutations: { retry: false },
    },
  })
}
