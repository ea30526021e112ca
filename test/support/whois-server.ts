import net, { type Socket } from 'node:net'
import { type Listener, listen } from '../outbound/fixtures.ts'

export interface WhoisServer extends Listener {
  /** Every question, as it came over the line. */
  readonly questions: string[]
  /** What is said to a question from now on: a text, or whatever is done with the socket. */
  answer: (question: string) => string | ((socket: Socket) => void)
}

/** A WHOIS server on loopback. It plays IANA, the registry and the registrar alike: the test tells them by order. */
export async function startWhois(answer: WhoisServer['answer'] = () => 'No match'): Promise<WhoisServer> {
  const questions: string[] = []
  const listener = await listen(
    net.createServer((socket) => {
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        if (!text.includes('\r\n')) return
        questions.push(text)
        const reply = whois.answer(text.trimEnd())
        text = ''
        if (typeof reply === 'string') socket.end(reply)
        else reply(socket)
      })
    }),
  )
  const whois: WhoisServer = { ...listener, questions, answer }
  return whois
}
