import { Link, useLocation } from 'wouter-preact'
import { tellPartMissing } from '../api/newer-build.ts'
import { apiUrl } from '../base.ts'
import { palette, paletteKeys, sheet } from '../commands/commands.ts'
import { session } from '../session/session.ts'
import { chooseLanguage, type Language, language, languages, text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useNavigablePages } from './pages.ts'
import { signOut } from './sign-out.ts'
import { type Theme, theme } from './theme.ts'

export function Navigation({ isMenuOpen, toggleMenu }: { isMenuOpen: boolean; toggleMenu: () => void }) {
  const t = text.value
  const pages = useNavigablePages()
  return (
    <header class="bar">
      <div class="bar-top">
        <Link class="brand" href="/">
          <span class="brand-mark" aria-hidden="true" />
          {t.app.name}
        </Link>
        <Button
          class="bar-menu"
          look="quiet"
          aria-expanded={isMenuOpen}
          aria-controls="bar-rest"
          label={isMenuOpen ? t.app.closeMenu : t.app.menu}
          onClick={toggleMenu}
        >
          <Icon name="menu" />
        </Button>
      </div>
      <div class="bar-rest" id="bar-rest">
        <Button
          look="quiet"
          class="bar-command"
          keys={paletteKeys.value}
          onClick={() => palette.open()}
          text={t.commands.title}
        />
        <nav aria-label={t.app.pages}>
          <ul class="bar-pages">
            {pages.map(({ path, nav }) => (
              <Entry key={path} path={path} label={t.nav[nav]} />
            ))}
            <li>
              <a href={new URL('docs', apiUrl).href} class="bar-page" target="_blank" rel="noopener">
                {t.nav.docs}
              </a>
            </li>
          </ul>
        </nav>
        <div class="bar-end">
          <Button look="quiet" keys="?" onClick={() => sheet.open()} text={t.commands.keys} />
          <AccountMenu />
        </div>
      </div>
    </header>
  )
}

function Entry({ path, label }: { path: string; label: string }) {
  const [location] = useLocation()
  // Files and vaults belong to the first page.
  const isHere = path === '/' ? /^\/($|vaults\/|files\/)/.test(location) : location.startsWith(path)
  return (
    <li>
      <Link href={path} class="bar-page" aria-current={isHere ? 'page' : undefined}>
        {label}
      </Link>
    </li>
  )
}

function AccountMenu() {
  const t = text.value
  const themes: Record<Theme, string> = { auto: t.app.themeAuto, light: t.app.themeLight, dark: t.app.themeDark }
  return (
    <details class="account">
      <summary>{t.app.settings}</summary>
      <div class="account-body">
        <p class="hint">{t.signIn.as(nameOf(t.signIn))}</p>
        <label class="field">
          <span>{t.app.theme}</span>
          <select
            value={theme.value}
            onChange={(event) => {
              theme.value = event.currentTarget.value as Theme
            }}
          >
            {Object.entries(themes).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{t.app.language}</span>
          <select
            value={language.value}
            onChange={(event) => chooseLanguage(event.currentTarget.value as Language).catch(tellPartMissing)}
          >
            {Object.entries(languages).map(([value, label]) => (
              <option key={value} value={value} lang={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <Link class="button" href="/check">
          {t.check.title}
        </Link>
        {isOwner() && (
          <Link class="button" href="/passkeys">
            {t.owner.manage}
          </Link>
        )}
        <Button onClick={() => void signOut()} text={t.signIn.out} />
      </div>
    </details>
  )
}

function isOwner(): boolean {
  const who = session.value
  return who?.kind === 'key' && who.sessionId !== undefined
}

function nameOf(t: typeof text.value.signIn): string {
  const who = session.value
  if (who?.kind === 'provider') return who.name ?? '–'
  if (who?.kind === 'development') return who.providerId ?? t.asFirstUser
  return isOwner() ? text.value.owner.title : t.asKey
}
