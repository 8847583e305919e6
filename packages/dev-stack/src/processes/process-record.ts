import { readFile, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { writeAtomically } from '../file-system/write-atomically.ts'
import { processIdentity } from './process-identity.ts'

/** A process and its starter. `identity` distinguishes each from a later process with the same pid. */
type ProcessRecord = { child: RecordedProcess; starter: RecordedProcess }
type RecordedProcess = { pid: number; identity: string }

export async function recordProcess(file: string, pid: number): Promise<void> {
  const [child, starter] = await Promise.all([processIdentity(pid), processIdentity(process.pid)])
  if (child === undefined || starter === undefined) return // already exited: no stray to stop later
  const record: ProcessRecord = {
    child: { pid, identity: child },
    starter: { pid: process.pid, identity: starter },
  }
  await writeAtomically(file, JSON.stringify(record))
}

export async function forgetProcess(file: string): Promise<void> {
  await rm(file, { force: true })
}

/** Stops a process that outlived its starter; sends SIGKILL after `graceMs`. Throws if the starter still runs. */
export async function endStray(file: string, signal: NodeJS.Signals, graceMs = 5_000): Promise<void> {
  const record = await readRecord(file)
  if (record === undefined) return
  if (await isRunning(record.child)) {
    if (await isRunning(record.starter)) {
      throw new Error(`${file}: process ${record.child.pid} is in use by process ${record.starter.pid}.`)
    }
    await endProcess(record.child, signal, graceMs)
  }
  await forgetProcess(file)
}

async function endProcess(stray: RecordedProcess, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  const killAt = Date.now() + graceMs
  let sent: NodeJS.Signals | undefined
  while (await isRunning(stray)) {
    const due = Date.now() < killAt ? signal : 'SIGKILL'
    if (sent !== due) sendSignal(stray.pid, due)
    sent = due
    if (Date.now() > killAt + 10_000)
      throw new Error(`Process ${stray.pid} could not be stopped, not even with SIGKILL.`)
    await delay(20)
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const isRunning = async (process: RecordedProcess) => (await processIdentity(process.pid)) === process.identity

async function readRecord(file: string): Promise<ProcessRecord | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessRecord
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}
