import { computed, signal } from '@preact/signals'
import { en, type Text } from './en.ts'

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const storageKey = 'tideport.language'
const loaders: Record<Language, () => Promise<Text>> = {
  en: async () => en,
  de: async () => (await import('./de.ts')).de,
}

const current = signal<{ language: Language; text: Text }>({ language: 'en', text: en })

/** Read `.value` in the component that shows the text, so that it follows the language. */
export const text = computed(() => current.value.text)
export const language = computed(() => current.value.language)

/** The chosen language, else the browser's, else English. */
export function loadLanguage(): Promise<void> {
  const wanted = [localStorage.getItem(storageKey), ...navigator.languages].map((tag) => tag?.slice(0, 2).toLowerCase())
  return use(wanted.find(isLanguage) ?? 'en').catch(() => {})
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  await use(chosen)
  localStorage.setItem(storageKey, chosen)
}

async function use(next: Language): Promise<void> {
  current.value = { language: next, text: await loaders[next]() }
  document.documentElement.lang = next
}

const isLanguage = (tag: string | undefined): tag is Language => tag !== undefined && Object.hasOwn(languages, tag)
