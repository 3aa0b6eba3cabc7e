import { intake, isReport } from './rehearsal-intake';
import { plan } from './rehearsal-plan';
import type { Script, Speech } from './rehearsal-reply';
import { isResearch, research } from './rehearsal-research';
import { readScene, type Scene } from './rehearsal-scene';
import { isSummaryRequest, summary } from './rehearsal-summary';
import { titleOf } from './rehearsal-words';

/** The default script. It has no memory: the transcript says how far the play has got. */
export const demonstration: Script = ({ body }) =>
  isSummaryRequest(body) ? summary(body) : { ...play(readScene(body)), chunkMs: 20 };

function play(scene: Scene): Speech {
  if (scene.called.length === 0) {
    if (isSmallTalk(scene.request)) return greet(scene);
    if (scene.later && !isRequest(scene.request)) return followUp(scene);
  }
  // Whoever may ask one thing only gets the play with one question.
  if (isResearch(scene.request) || scene.mostQuestions === 1) return research(scene);
  return isReport(scene.request) ? intake(scene) : plan(scene);
}

function greet({ later }: Scene): Speech {
  if (later)
    return { text: 'You are welcome. If there is something else to plan, write or change, just say so.' };
  return {
    text: 'Hello! Give me something to do, such as “Plan our team offsite” or “Migrate the database”.',
  };
}

function followUp(scene: Scene): Speech {
  return {
    text: `On “${titleOf(scene)}”: what was settled above stands. I am the rehearsal model and play a script, so for a real answer set \`ANTHROPIC_API_KEY\`; or give me something new to plan, write or change.`,
  };
}

const PLEASANTRIES = new Set(
  'thanks thank you thx cheers great perfect ok okay hi hello hey good morning afternoon evening bye goodbye nice cool lovely wonderful awesome excellent so very much many a lot that thats is was all for now it there again helpful the your help everyone both'.split(
    ' ',
  ),
);

function isSmallTalk(text: string): boolean {
  const words =
    text
      .toLowerCase()
      .replace(/[’']/g, '')
      .match(/\p{L}+/gu) ?? [];
  return words.every((word) => PLEASANTRIES.has(word));
}

function isRequest(text: string): boolean {
  if (isResearch(text) || isReport(text)) return true;
  if (/^(what|when|why|how|who|where|which|did|do|does|is|are|was|were)\b/i.test(text)) return false;
  return /\b(plan|organi[sz]e|prepare|book|arrange|schedule|write|draft|migrate|deploy|upgrade|release|build|create|make|set up|design|help|review|find|fix|add|ask|do)\b/i.test(
    text,
  );
}
