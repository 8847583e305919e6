import { readAccount } from '@tideport/contracts/public/account'
import { daysAsked, readUsage, readVaultUsage } from '@tideport/contracts/public/usage'
import { readAccountDays, readNetworkUsage, readVaultDays } from '@tideport/file-lifecycle/state/usage-days'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import type { FilesConfig } from '../config.ts'
import { getLiveVault } from '../lookups/seen-vault.ts'
import { listFileEventsRoute } from './list-file-events.ts'
import { type ManifestDeps, readManifestRoute } from './read-manifest.ts'

interface Deps extends ManifestDeps {
  config: Pick<FilesConfig, 'maxPutBytes' | 'maxFileBytes' | 'accountQuotaBytes' | 'openUploadsMax'>
}

export function accountRoutes(deps: Deps) {
  const { db } = deps
  return {
    readAccount: readAccountRoute(deps),
    readUsage: serve(readUsage, async ({ principal, query }) => ({
      days: await readAccountDays(db, principal.accountId, daysAsked(query, today())),
    })),
    readVaultUsage: serve(readVaultUsage, async ({ principal, params, query }) => {
      const vault = await getLiveVault(db, principal.accountId, params.vaultId)
      return { days: await readVaultDays(db, vault.id, daysAsked(query, today())) }
    }),
    listFileEvents: listFileEventsRoute(db),
    readManifest: readManifestRoute(deps),
  } satisfies Partial<RoutesOf<'files'>>
}

const today = () => new Date().toISOString().slice(0, 10)

function readAccountRoute({ db, openAccount, networks: { order }, config }: Deps) {
  const placeOf = (network: string) => (order.includes(network) ? order.indexOf(network) : order.length)
  return serve(readAccount, async ({ principal: { accountId, isOperator } }) => {
    await openAccount(accountId)
    const row = await db.selectFrom('account').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow()
    const networks = (await readNetworkUsage(db, accountId))
      .toSorted((a, b) => placeOf(a.network) - placeOf(b.network))
      .map(({ network, copies, bytes }) => ({ network, copies, billedBytes: bytes }))
    const { storageBytes, hotBytes, fileCount, vaultCount } = row
    return {
      id: row.id,
      createdAt: row.createdAt.toISOString(),
      ...(isOperator && { isOperator }),
      usage: { storageBytes, hotBytes, fileCount, vaultCount, networks },
      limits: {
        maxPutBytes: config.maxPutBytes,
        maxFileBytes: config.maxFileBytes,
        quotaBytes: config.accountQuotaBytes === 0 ? null : config.accountQuotaBytes,
        openUploadsMax: config.openUploadsMax,
      },
    }
  })
}
