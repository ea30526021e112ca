import net, { type Socket } from 'node:net'
import { type Listener, listen } from './listener.ts'

export interface WhoisServer extends Listener {
  /** All received questions. */
  readonly questions: string[]
  /** The reply to a question: a text, or a function of the socket. */
  answer: (question: string) => string | ((socket: Socket) => void)
}

/** A WHOIS server on loopback for IANA, the registry and the registrar; tests tell them apart by the order of questions. */
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
