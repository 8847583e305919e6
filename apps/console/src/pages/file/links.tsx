import { useSignal } from '@preact/signals'
import type { FileRecord, Link } from '@tideport/sdk'
import { apiUrl } from '../../app/base.ts'
import { isPrivateVault } from '../../private/private-vaults.ts'
import { dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useVaultOf } from './file-queries.ts'
import { LinkDialog } from './link-dialog.tsx'
import { useFileLinks, useRevokeLink } from './link-queries.ts'
import { Section } from './section.tsx'

/** The links by which others get at the file. */
export function Links({ file }: { file: FileRecord }) {
  const t = text.value.file
  const isOpen = useSignal(false)
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useFileLinks(file.id)
  const links = data?.pages.flatMap((page) => page.links) ?? []
  const create = (
    <Button
      onClick={() => {
        isOpen.value = true
      }}
    >
      {t.newLink}
    </Button>
  )
  return (
    <Section title={t.links} action={create}>
      <PublicLink file={file} />
      {error !== null && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && links.length === 0 && <p class="hint">{t.noLinks}</p>}
      <ul class="file-links">
        {links.map((link) => (
          <LinkRow key={link.id} link={link} />
        ))}
      </ul>
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {text.value.app.more}
        </Button>
      )}
      {isOpen.value && (
        <LinkDialog
          file={file}
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </Section>
  )
}

/** Of a file that anybody can read as it is: its address in the public API. */
function PublicLink({ file }: { file: FileRecord }) {
  const t = text.value.file
  const { data: vault } = useVaultOf(file)
  const isPublic = vault?.visibility === 'public' && !isPrivateVault(file.vaultId)
  if (!isPublic || file.awaitingReview || file.status === 'uploading') return null
  const url = new URL(`api/public/files/${file.id}`, apiUrl).href
  return <CopyField label={t.publicLink} hint={t.publicLinkHint} value={url} copy={t.copyLink} />
}

function LinkRow({ link }: { link: Link }) {
  const t = text.value.file
  const { mutate, isPending } = useRevokeLink()
  const made = dateTime(link.createdAt)
  const of =
    link.maxDownloads === null
      ? t.downloads(number(link.downloads))
      : t.downloadsOf(number(link.downloads), number(link.maxDownloads))
  const terms = [of, link.hasPassword && t.withPassword, link.expiresAt !== null && t.until(dateTime(link.expiresAt))]
  return (
    <li class="file-link">
      <p>
        <span class={`badge badge-link-${link.state}`}>{t.linkStates[link.state]}</span>
        {t.linkMade(made)}
        <span class="hint file-link-terms">{terms.filter(Boolean).join(' · ')}</span>
      </p>
      {link.state === 'usable' && (
        <Button label={`${t.revoke}: ${t.linkMade(made)}`} busy={isPending} onClick={() => mutate(link)}>
          {t.revoke}
        </Button>
      )}
    </li>
  )
}
