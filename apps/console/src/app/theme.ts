import { effect, signal } from '@preact/signals'

export type Theme = 'auto' | 'light' | 'dark'

const storageKey = 'tideport.theme'
const isTheme = (word: string | null): word is Theme => word === 'auto' || word === 'light' || word === 'dark'
const stored = localStorage.getItem(storageKey)

export const theme = signal<Theme>(isTheme(stored) ? stored : 'auto')

export function followTheme(): void {
  effect(() => {
    localStorage.setItem(storageKey, theme.value)
    document.documentElement.dataset.theme = theme.value
  })
}
