/** The one place where the environment is read; everything else is handed what it needs. */
export const environment: Readonly<Record<string, string | undefined>> = process.env
