/** Sends a GET once more if its connection is closed, as servers and proxies do with idle connections that a browser is about to use. */
export async function fetchAgain(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    if (request.method !== 'GET' || request.signal.aborted) throw error
    return fetch(request)
  }
}
