import type { Reader, SourceName } from './result.ts'

export interface Source {
  /** The name of the tool. */
  readonly title: string
  /** The files that its reader takes, for help and errors. */
  readonly files: string
  /** Loads the reader. Commands that do not import do not load it. */
  readonly load: () => Promise<Reader>
}

export const sources: Readonly<Partial<Record<SourceName, Source>>> = {
  healthchecks: {
    title: 'Healthchecks',
    files: 'answers of its API: GET /api/v3/checks/ and GET /api/v3/channels/',
    load: async () => (await import('./healthchecks/read.ts')).readHealthchecks,
  },
}
