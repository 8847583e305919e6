import { bucketsApi, type CorsRules } from '@tideport/contracts/internal/buckets'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { trashUnusedVault } from '@tideport/file-lifecycle/removal/trash-vault'
import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import type { VaultRow } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { AppError } from '@tideport/service-kit/process/app-error'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { vaultsOf } from '../calls/enforce-key-limits.ts'
import type { FilesConfig } from '../config.ts'
import { insertVault } from '../vaults/insert-vault.ts'
import type { VaultDeps } from '../vaults/routes.ts'
import { getBucket } from './find-bucket.ts'

/** Vaults whose rules apply to a preflight request. */
const CORS_VAULTS_MAX = 100

const toBucket = ({ slug, createdAt, visibility }: VaultRow) => ({
  slug,
  createdAt: createdAt.toISOString(),
  visibility,
})

interface BucketDeps extends VaultDeps {
  networks: Networks
  config: Pick<FilesConfig, 'trashRetentionSeconds' | 'settleSeconds'>
}

export function bucketRoutes(deps: BucketDeps) {
  const { db, relay } = deps
  return {
    listBuckets: listBucketsRoute(deps),
    createBucket: serve(bucketsApi.createBucket, async ({ principal: { accountId }, body: { slug, visibility } }) => {
      await deps.openAccount(accountId)
      const vault = {
        id: uuidv7(),
        accountId,
        name: slug,
        slug,
        visibility,
        description: '',
        filesExpireAfterSeconds: null,
      }
      const created = await db.transaction().execute((trx) => insertVault(trx, vault))
      relay.wake()
      return toBucket(created)
    }),
    readBucket: serve(bucketsApi.readBucket, async ({ principal, params }) => {
      const vault = await getBucket(db, principal, params.slug)
      return { ...toBucket(vault), cors: vault.cors as CorsRules | null }
    }),
    deleteBucket: deleteBucketRoute(deps),
    putBucketCors: serve(bucketsApi.putBucketCors, async ({ principal, params, body: { rules } }) => {
      const { id } = await getBucket(db, principal, params.slug)
      const cors = rules === null ? null : JSON.stringify(rules)
      const payload = sql`jsonb_build_object('corsRules', ${rules?.length ?? 0}::integer)`
      await sql`
        with changed as (
          update vault set cors = ${cors}::jsonb, updated_at = now() where id = ${id} and deleted_at is null returning *
        )
        ${appendEvents({ kind: 'vault', type: 'vault.changed', payload, from: sql`changed` })}`.execute(db)
      relay.wake()
      return {}
    }),
    findCors: serve(bucketsApi.findCors, async ({ params: { slug } }) => {
      const { rows } = await sql<{ cors: CorsRules }>`
        select cors from vault where slug = ${slug} and cors is not null and deleted_at is null
        order by id limit ${CORS_VAULTS_MAX}`.execute(db)
      return { rules: rows.flatMap(({ cors }) => cors) }
    }),
  } satisfies Partial<RoutesOf<'files'>>
}

/** The first request of a new account already returns its default vault. */
function listBucketsRoute({ db, openAccount }: VaultDeps) {
  return serve(bucketsApi.listBuckets, async ({ principal, query: { prefix, after, limit } }) => {
    const { accountId } = principal
    await openAccount(accountId)
    const within = vaultsOf(principal)
    const { rows } = await sql<VaultRow>`
      select * from vault where account_id = ${accountId} and deleted_at is null and slug > ${after}
        and starts_with(slug, ${prefix}) and ${within === null ? sql`true` : sql`id = any(${within}::uuid[])`}
      order by slug limit ${limit + 1}`.execute(db)
    const page = rows.slice(0, limit)
    return { buckets: page.map(toBucket), next: rows.length > limit ? (page.at(-1)?.slug ?? null) : null }
  })
}

function deleteBucketRoute({ db, relay, config, networks }: BucketDeps) {
  return serve(bucketsApi.deleteBucket, async ({ principal, params }) => {
    const { id: vaultId, accountId, isDefault } = await getBucket(db, principal, params.slug)
    if (isDefault) throw new AppError('state_conflict', 'The default vault cannot be deleted')
    const { trashRetentionSeconds: retentionSeconds, settleSeconds } = config
    await db.transaction().execute(async (trx) => {
      const trashed = await trashUnusedVault(trx, { accountId, vaultId }, { retentionSeconds, settleSeconds, networks })
      if (trashed !== null) return
      await getBucket(trx, principal, params.slug)
      throw new AppError('vault_not_empty', 'The vault is not empty. Delete its files and folders first.')
    })
    relay.wake()
    return {}
  })
}
