import { useInfiniteQuery, useMutation } from '@tanstack/preact-query'
import { type FileRecord, type Link, listFileLinks, revokeLink } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { toast } from '../../api/toasts.ts'
import { apiUrl } from '../../base.ts'
import { isPrivateVault } from '../../kept/private-vaults.ts'
import { dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more.tsx'
import { useDialog } from '../../ui/use-dialog.tsx'
import { useVault } from '../files/file-queries.ts'
import { LinkForm } from '../links/link-form.tsx'
import { Section } from './values.tsx'

export function Links({ file }: { file: FileRecord }) {
  const { nav, file: t } = text.value
  const { dialog, ask } = useDialog()
  const list = useInfiniteQuery({
    queryKey: ['links', 'of-file', file.id],
    queryFn: ({ pageParam: cursor, signal }) =>
      listFileLinks(client(), { fileId: file.id, limit: 20, cursor }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const { data, error, refetch } = list
  const links = data?.pages.flatMap((page) => page.links) ?? []
  const create = () => ask((close) => <LinkForm file={file} onClose={close} />)
  return (
    <Section title={nav.links} action={<Button onClick={create} text={text.value.links.create} />}>
      <PublicLink file={file} />
      {error !== null && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && links.length === 0 && <p class="hint">{t.noLinks}</p>}
      <ul class="file-links">
        {links.map((link) => (
          <LinkRow key={link.id} link={link} />
        ))}
      </ul>
      <MoreButton list={list} />
      {dialog}
    </Section>
  )
}

function PublicLink({ file }: { file: FileRecord }) {
  const t = text.value.file
  const { data: vault } = useVault(file.vaultId)
  const isPublic = vault?.visibility === 'public' && !isPrivateVault(file.vaultId)
  if (!isPublic || file.awaitingReview || file.status === 'uploading') return null
  const url = new URL(`api/public/files/${file.id}`, apiUrl).href
  return <CopyField label={t.publicLink} hint={t.publicLinkHint} value={url} copy={t.copyLink} />
}

function LinkRow({ link }: { link: Link }) {
  const { app, file: t, links } = text.value
  const { id, state, createdAt, expiresAt, downloads, maxDownloads, hasPassword } = link
  const { mutate, isPending } = useMutation({
    mutationFn: () => revokeLink(client(), { linkId: id }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['links'] })
      toast(links.revoked)
    },
  })
  const made = t.linkMade(dateTime(createdAt))
  const count = number(downloads)
  const of = maxDownloads === null ? t.downloads(count) : t.downloadsOf(count, number(maxDownloads))
  const terms = [of, hasPassword && t.withPassword, expiresAt !== null && t.until(dateTime(expiresAt))]
  return (
    <li class="file-link">
      <p>
        <span class={`badge badge-link-${state}`}>{links.states[state]}</span>
        {made}
        <span class="hint file-link-terms">{terms.filter(Boolean).join(' · ')}</span>
      </p>
      {state === 'usable' && (
        <Button label={`${app.revoke}: ${made}`} busy={isPending} onClick={() => mutate()} text={app.revoke} />
      )}
    </li>
  )
}
