import './ui/styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { loadSession } from './session/authentication';
import { deleteExpiredDrafts } from './session/drafts';

deleteExpiredDrafts(Date.now());
void loadSession();

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
