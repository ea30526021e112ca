/** The only place that reads the environment; other code gets what it needs as arguments. */
export const environment: Readonly<Record<string, string | undefined>> = process.env
