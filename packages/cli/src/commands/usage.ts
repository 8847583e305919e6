import { readUsage, readVaultUsage, type UsageDay, type VaultUsageDay } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
import { findVault } from '../remote/find-vault.ts'
import { formatBytes, parseCount } from '../terminal/amounts.ts'

const DAYS_MAX = 366
const MS_PER_DAY = 86_400_000

export const usage = command({
  name: 'usage',
  summary: 'Show the current usage and the usage at the end of each day (UTC)',
  options: {
    days: {
      type: 'string',
      value: 'N',
      summary: `Number of days, including today, 1 to ${DAYS_MAX} (default: 30)`,
    },
    vault: { type: 'string', value: 'VAULT', summary: 'Only this vault' },
  },
  async run({ days = '30', vault }, context) {
    const { output, signal } = context
    const asked = lastDays(parseCount('days', days, DAYS_MAX))
    const client = await connect(context)
    if (vault === undefined) {
      const { days: all } = await readUsage(client, asked, { signal })
      for (const day of all) await output.result(day, lineOfAccount(day))
    } else {
      const { id: vaultId } = await findVault(client, vault, signal)
      const { days: all } = await readVaultUsage(client, { vaultId, ...asked }, { signal })
      for (const day of all) await output.result(day, lineOf(day))
    }
  },
})

/** The first and the last day use the local clock, which may differ from that of the service. */
function lastDays(count: number) {
  const now = Date.now()
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return { from: dayOf(now - (count - 1) * MS_PER_DAY), to: dayOf(now) }
}

const lineOf = ({ day, fileCount, storageBytes }: VaultUsageDay) =>
  `${day}  ${`${fileCount} files`.padStart(14)}  ${formatBytes(storageBytes).padStart(8)}`

const lineOfAccount = ({ addedBytes, networks, ...day }: UsageDay) =>
  [
    `${lineOf(day)}  ${`+${formatBytes(addedBytes)}`.padStart(9)}`,
    ...networks.map(({ network, billedBytes }) => `${network} ${formatBytes(billedBytes)}`),
  ].join('  ')
