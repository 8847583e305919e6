import { listVaults, type Vault } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { describeError } from '../../api/describe-error.ts'
import { apiUrl } from '../../base.ts'
import { text } from '../../text/text.ts'
import { checkStorage } from './check-storage.ts'
import { checkAddress, type Finding } from './finding.ts'

/** Receivers reject webhooks that are older than five minutes, and tokens expire by the clock of the service. */
const skewSecondsMax = 60
const answerMs = 15_000

export interface Checked {
  vaultId: string | null
  findings: Finding[]
}

export async function runChecks(signal: AbortSignal): Promise<Checked> {
  const t = text.value.check
  const findings = [checkAddress(), await checkClock(signal).catch(failedAs('clock'))]
  try {
    const vault = await firstVault(signal)
    if (vault === undefined) {
      findings.push({ name: 'storage', look: 'warning', text: t.noVault })
      return { vaultId: null, findings }
    }
    return { vaultId: vault.id, findings: [...findings, ...(await checkStorage(vault.id, signal))] }
  } catch (error) {
    signal.throwIfAborted()
    return { vaultId: null, findings: [...findings, failedAs('storage')(error)] }
  }
}

const failedAs =
  (name: Finding['name']) =>
  (error: unknown): Finding => ({ name, look: 'bad', text: describeError(error) })

/** The default vault, in a new installation. The service cannot read what a private vault has. */
async function firstVault(signal: AbortSignal): Promise<Vault | undefined> {
  const { vaults } = await listVaults(client(), { limit: 100, order: 'asc' }, { signal }).page()
  return vaults.find(({ visibility }) => visibility !== 'private')
}

async function checkClock(signal: AbortSignal): Promise<Finding> {
  const t = text.value.check
  const { headers } = await fetch(new URL('api/sign-in', apiUrl), {
    cache: 'no-store',
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  })
  const seconds = Math.round((Date.now() - Date.parse(headers.get('date') ?? '')) / 1000)
  if (Number.isNaN(seconds)) return { name: 'clock', look: 'warning', text: t.noClock }
  if (Math.abs(seconds) <= skewSecondsMax) return { name: 'clock', look: 'good', text: t.clock }
  const said = seconds > 0 ? t.ahead(seconds) : t.behind(-seconds)
  return { name: 'clock', look: 'bad', text: said }
}
