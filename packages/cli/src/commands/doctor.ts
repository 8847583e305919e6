import {
  checkClock,
  checkKey,
  checkKeyPlace,
  checkProxy,
  checkService,
  checkStorage,
  type Finding,
} from '../doctor/checks.ts'
import { command } from '../grammar/command.ts'
import { connectAs, identify } from '../profile/connect.ts'
import { type ExitCode, exitCodeOf, exitCodes, reportOf, Told } from '../terminal/failures.ts'
import type { Output } from '../terminal/output.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'Diagnose the connection to an installation',
  description:
    'Checks the key and its storage, the proxy, the address and its certificate, the clock, and the account. With --vault,\n' +
    'also uploads a 1,000-byte file to the object storage, downloads it, and deletes it permanently.',
  options: {
    vault: { type: 'string', value: 'VAULT', summary: 'Public vault for the temporary test file' },
  },
  async run({ vault }, context) {
    const { output, signal } = context
    const identity = await identify(context)
    const { url } = identity
    // One attempt: a diagnosis does not wait for retries.
    const client = await connectAs(context, identity, { attempts: 1, timeoutMs: 20_000 })
    const tell = openTelling(output, signal)
    await tell('key', () => checkKeyPlace(identity))
    await tell('proxy', async () => checkProxy(url))
    let date: string | null = null
    const isThere = await tell('service', async () => {
      const answer = await checkService(url, signal)
      date = answer.date
      return answer.finding
    })
    if (isThere) {
      await tell('clock', async () => checkClock(date))
      await tell('account', () => checkKey(client, signal))
      if (vault !== undefined) await tell('storage', () => checkStorage(client, vault, signal))
    }
    const { failed } = tell
    if (failed.length === 0) return
    const isLogin = failed.every(({ exitCode }) => exitCode === exitCodes.login)
    const names = failed.map(({ check }) => check).join(', ')
    throw new Told(`Failed checks: ${names}`, isLogin ? exitCodes.login : exitCodes.failed)
  },
})

function openTelling(output: Output, signal: AbortSignal) {
  const failed: { check: string; exitCode: ExitCode }[] = []
  async function tell(check: string, work: () => Promise<Finding>): Promise<boolean> {
    try {
      const { text, isWarning = false } = await work()
      await output.result(
        { check, state: isWarning ? 'warning' : 'ok', text },
        `${isWarning ? 'warning' : 'ok     '}  ${text}`,
      )
      return true
    } catch (error) {
      signal.throwIfAborted()
      const report = reportOf(error)
      failed.push({ check, exitCode: exitCodeOf(error) })
      await output.result(
        { check, state: 'failed', text: report.error, ...report },
        `failed   ${check}: ${report.error}`,
      )
      return false
    }
  }
  return Object.assign(tell, { failed })
}
