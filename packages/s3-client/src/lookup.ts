import { AsyncResource } from 'node:async_hooks'
import dns from 'node:dns'
import type { LookupFunction } from 'node:net'

type Done = Parameters<LookupFunction>[2]

/** Who waits for the answer to a question, by its name and what else is asked of that. */
const waiting = new Map<string, Map<string, Done[]>>()

/**
 * The system's own lookup, which keeps a thread for as long as no name server answers, and has few of them for all names
 * of a process: so whoever asks what somebody has asked already waits for that answer.
 */
export const lookup: LookupFunction = (hostname, options, done) => {
  const questions = waiting.get(hostname) ?? new Map<string, Done[]>()
  const question = JSON.stringify(options)
  const callers = questions.get(question)
  const own = AsyncResource.bind(done)
  if (callers) return void callers.push(own)
  const all = [own]
  waiting.set(hostname, questions.set(question, all))
  dns.lookup(hostname, options, (...answer) => {
    questions.delete(question)
    if (questions.size === 0) waiting.delete(hostname)
    for (const caller of all) caller(...(answer as Parameters<Done>))
  })
}

/** Whether somebody waits for the address of a host. */
export const isWaitingFor = (hostname: string): boolean => waiting.has(hostname)
