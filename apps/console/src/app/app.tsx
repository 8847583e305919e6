import { QueryClientProvider } from '@tanstack/preact-query'
import { Router } from 'wouter-preact'
import { queryClient } from '../api/query-client.ts'
import { session } from '../session/session.ts'
import { SignInPage } from '../session/sign-in-page.tsx'
import { basePath } from './base.ts'
import { Layout } from './layout.tsx'
import { SecretDialogs } from './secret-dialog.tsx'
import { Toaster } from './toaster.tsx'

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Router base={basePath}>
        {session.value === null ? <SignInPage /> : <Layout />}
        <SecretDialogs />
      </Router>
      <Toaster />
    </QueryClientProvider>
  )
}
