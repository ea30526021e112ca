/** The general rules, as Markdown. The reference explains them in its guides. */
export const description = `Every request uses the API key of one organization and sees only the resources of that organization.

- **Authentication**: \`X-API-Key: phr_…\` or \`Authorization: Bearer phr_…\`. Read-only keys can call every GET operation.
- **Bodies** are JSON in UTF-8 with \`Content-Type: application/json\`, at most 64 KiB, or 2 MiB where the operation says so, with at most 5,000 keys, 20,000 list items and 32 levels. Unknown fields are an error.
- **Methods**: HEAD works wherever GET does and returns the same headers without a body. Any other method is a 405 with an \`Allow\` header.
- **Times** are ISO 8601. Requests take \`Z\` or an offset, and seconds are optional; responses are in UTC with milliseconds.
- **Lists** take \`limit\` (1 to 100) and \`offset\`, and return \`{ data, pagination: { limit, offset, total } }\`.
- **Queries**: an unknown query parameter is ignored by the operations of the specification, and a 400 in those marked \`x-extension\`.
- **Errors** have one form: \`{ error: { code, message, requestId, details? } }\`. Decide by \`code\`.
- **Rate limit**: 120 requests per minute and key by default; every response has the \`RateLimit\` headers.
- **Retries**: send an \`Idempotency-Key\` with every change; a repeated request gets the stored response.
`
