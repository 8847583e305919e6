import { Link } from 'wouter-preact'
import { text } from '../../text/text.ts'
import { crumbsOf } from './entries.ts'
import { addressOf } from './place.ts'

export function Crumbs({ vaultId, vault, folder }: { vaultId: string; vault: string; folder: string }) {
  const crumbs = [{ name: vault, path: '' }, ...crumbsOf(folder)]
  return (
    <nav class="crumbs" aria-label={text.value.files.top}>
      <ol>
        <li>
          <Link href="/">{text.value.nav.vaults}</Link>
        </li>
        {crumbs.map(({ name, path }) => (
          <li key={path}>
            <Link href={addressOf(vaultId, { folder: path })} aria-current={path === folder ? 'page' : undefined}>
              {name}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}
