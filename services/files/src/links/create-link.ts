import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { createFileLink, createFolderLink } from '@tideport/contracts/public/links'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { getLiveVault } from '../lookups/authorized-vault.ts'
import { type Bounds, createLink, foreseeLink, LINKS_MAX, type Target } from './insert-link.ts'
import { toLink } from './link-views.ts'
import { findOwnLink } from './own-links.ts'
import type { Passwords } from './password.ts'
import { createToken, digestOf } from './token.ts'

interface Deps {
  db: Kysely<FilesDb>
  passwords: Passwords
  config: Pick<FilesConfig, 'publicUrl'>
}

export function createFileLinkRoute(deps: Deps) {
  return serve(createFileLink, ({ principal, params, body }) =>
    create(deps, principal, params, { ...body, upload: null }),
  )
}

export function createFolderLinkRoute(deps: Deps) {
  return serve(createFolderLink, async ({ principal, params, body: { prefix, upload = null, ...terms } }) => {
    if (upload !== null) await assertPublic(deps.db, principal.accountId, params.vaultId)
    return await create(
      deps,
      principal,
      { ...params, prefix },
      {
        ...terms,
        upload: upload && { ...upload, mimeTypes: upload.mimeTypes ?? null },
      },
    )
  })
}

type Terms = RouteInput<typeof createFileLink>['body'] & { upload: Bounds | null }

async function create({ db, passwords, config }: Deps, principal: AccountPrincipal, target: Target, terms: Terms) {
  assertUnbounded(principal)
  const { upload, password = null, expiresInSeconds = null, maxDownloads = null } = terms
  const { accountId, keyId = null } = principal
  // Hashing is expensive, so the password is hashed only if the link can be created.
  if (password !== null) assertCreated(await foreseeLink(db, { accountId, target }))
  const token = createToken()
  const passwordHash = password === null ? null : await passwords.hash(password, accountId)
  const wanted = {
    accountId,
    target,
    digest: digestOf(token),
    passwordHash,
    expiresInSeconds,
    maxDownloads,
    upload,
    keyId,
  }
  const made = await createLink(db, wanted)
  assertCreated(made)
  const url = `${config.publicUrl}/s/${token}`
  const link = await findOwnLink(db, accountId, made.id)
  if (link === null) throw notFound()
  return { ...toLink(link), url, contentUrl: `${url}/content${'fileId' in target ? '' : '/'}` }
}

function assertCreated<T>(outcome: T | 'too_many' | null): asserts outcome is T {
  if (outcome === null) throw notFound()
  if (outcome !== 'too_many') return
  throw new AppError(
    'too_many_links',
    'The account has too many links. Revoke links that you no longer need; a revoked link counts for a week.',
    {
      details: { linksMax: LINKS_MAX },
    },
  )
}

/** A link would bypass the byte limit of a key. */
function assertUnbounded({ limits }: AccountPrincipal): void {
  if ((limits?.budgets.length ?? 0) > 0) {
    throw outsideLimits('The API key has a daily byte limit, so it cannot create links, which have no such limit', {
      limit: 'bytesPerDay',
    })
  }
}

/** Visitors have no key of a private vault, so they cannot encrypt files for it. */
async function assertPublic(db: Kysely<FilesDb>, accountId: string, vaultId: string): Promise<void> {
  const vault = await getLiveVault(db, accountId, vaultId)
  if (vault.visibility === 'public') return
  throw new AppError('visibility_mismatch', 'Links can receive files only in public vaults', {
    details: { visibility: vault.visibility },
  })
}
