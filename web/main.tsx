import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import './design/base.css';
import { forgetOldDrafts } from './drafts';
import { lookWho } from './session/signing';

/** The client tries again by itself, and knows when that is worth it. */
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 2_000 } } });

forgetOldDrafts(Date.now());
void lookWho();

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
