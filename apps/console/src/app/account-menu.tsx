import { tellPartMissing } from '../api/newer-build.ts'
import { session } from '../session/session.ts'
import { chooseLanguage, type Language, language, languages, text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { signOut } from './sign-out.ts'
import { type Theme, theme } from './theme.ts'

/** Who is signed in, how it looks, in which language. */
export function AccountMenu() {
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
        <Button onClick={() => void signOut()}>{t.signIn.out}</Button>
      </div>
    </details>
  )
}

function nameOf(t: typeof text.value.signIn): string {
  const who = session.value
  if (who?.kind === 'provider') return who.name ?? '–'
  if (who?.kind === 'development') return who.providerId ?? t.asFirstUser
  return t.asKey
}
