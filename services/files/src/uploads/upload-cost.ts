import { readUploadCost } from '@tideport/contracts/public/upload-cost'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { validate as isUuid } from 'uuid'
import type { FilesConfig } from '../config.ts'
import { findLiveVault } from '../lookups/authorized-vault.ts'
import { uploadLimits } from './new-upload.ts'

const GB = 1e9
/** Further digits would show the error of floating point. */
const DIGITS = 12

interface Deps {
  db: Kysely<FilesDb>
  networks: Networks
  config: Pick<
    FilesConfig,
    'storageNetworks' | 'priceCurrency' | 'maxFileBytes' | 'maxPutBytes' | 'accountQuotaBytes' | 'openUploadsMax'
  >
}

/** `POST /api/files/upload/cost`, from the configuration only. */
export function readUploadCostRoute({ db, networks, config }: Deps) {
  const maxSizeBytes = uploadLimits(networks, config).largest.file
  const prices = new Map(config.storageNetworks.map(({ name, storePriceGbMonth }) => [name, storePriceGbMonth]))
  return serve(readUploadCost, async ({ principal: { accountId }, body: { sizeBytes, vaultId } }) => {
    if (!isUuid(vaultId) || (await findLiveVault(db, accountId, vaultId)) === null) throw notFound()
    if (sizeBytes > maxSizeBytes)
      throw new AppError('too_large', 'The file is too large', { details: { maxSizeBytes } })
    const required = networks.required
      .flatMap((name) => networks.get(name) ?? [])
      .map((network) => {
        const billedBytes = network.billedBytes(sizeBytes)
        const price = prices.get(network.name)
        return {
          network: network.name,
          driver: network.driver,
          billedBytes,
          leaseExpiresAt: network.leaseEnd()?.toISOString() ?? null,
          costPerMonth: price === undefined ? null : rounded((billedBytes / GB) * price),
        }
      })
    const costs = required.flatMap(({ costPerMonth }) => costPerMonth ?? [])
    return {
      sizeBytes,
      networks: required,
      billedBytes: required.reduce((sum, { billedBytes }) => sum + billedBytes, 0),
      costPerMonth: costs.length === required.length ? rounded(costs.reduce((sum, cost) => sum + cost, 0)) : null,
      currency: costs.length > 0 ? config.priceCurrency : null,
    }
  })
}

const rounded = (amount: number): number => Number(amount.toPrecision(DIGITS))
