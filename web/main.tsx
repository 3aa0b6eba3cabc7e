import './design/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { forgetOldDrafts } from './drafts';
import { lookWho } from './session/signing';

forgetOldDrafts(Date.now());
void lookWho();

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
