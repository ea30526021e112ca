export const DOCS_PATH = '/docs'
export const EVENTS_PATH = `${DOCS_PATH}/webhook-events`
