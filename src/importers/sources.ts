import type { ImportResult, SourceFile, SourceName } from './result.ts'

export interface Source {
  /** The name of the tool. */
  readonly title: string
  /** The files that its reader takes, for help and errors. */
  readonly files: string
  /** Whether the reader writes a copy of files that it gets by path. */
  readonly copiesFiles?: true
  /**
   * Reads the files. Everything in the document is valid, except for values that come from variables. Commands that do not
   * import do not load the reader.
   */
  readonly read: (files: readonly SourceFile[]) => Promise<ImportResult>
}

export const sources: Readonly<Record<SourceName, Source>> = {
  gatus: {
    title: 'Gatus',
    files: 'its YAML configuration: config.yaml, or all files of its configuration folder',
    read: async (files) => (await import('./gatus/read.ts')).readGatus(files),
  },
  kuma: {
    title: 'Uptime Kuma',
    files: 'kuma.db of Uptime Kuma 1.23 or 2, or a mysqldump of its database',
    copiesFiles: true,
    read: async (files) => (await import('./kuma/read.ts')).readKuma(files),
  },
  healthchecks: {
    title: 'Healthchecks',
    files: 'answers of its API: GET /api/v3/checks/ and GET /api/v3/channels/',
    read: async (files) => (await import('./healthchecks/read.ts')).readHealthchecks(files),
  },
  betterstack: {
    title: 'Better Stack',
    files:
      'answers of its Uptime API: monitors, heartbeats, their groups, status pages, and the sections and resources of each page',
    read: async (files) => (await import('./betterstack/read.ts')).readBetterStack(files),
  },
  statuscake: {
    title: 'StatusCake',
    files:
      'answers of its API: the list of uptime checks and each check, heartbeats, SSL checks, contact groups, maintenance windows',
    read: async (files) => (await import('./statuscake/read.ts')).readStatusCake(files),
  },
  statuspage: {
    title: 'Statuspage',
    files:
      'answers of its API: page, components, component groups, incidents and subscribers; or the public summary.json of a page',
    read: async (files) => (await import('./statuspage/read.ts')).readStatuspage(files),
  },
  uptimerobot: {
    title: 'UptimeRobot',
    files: 'answers of its API, version 2 or 3: monitors, alert contacts, maintenance windows and status pages',
    read: async (files) => (await import('./uptimerobot/read.ts')).readUptimeRobot(files),
  },
}
