/** The only place that reads the environment; other code gets what it needs as arguments. */
export const environment: Readonly<Record<string, string | undefined>> = process.env

/** The server that commands over the API use if PHAROS_URL is not set. */
export const LOCAL_SERVER = 'http://localhost:3000'

/** For the help of commands over the API. */
export const CONNECTION_NOTE = `PHAROS_URL names the server (default: ${LOCAL_SERVER}), PHAROS_API_KEY is the key; "pharos login" saves both.`
