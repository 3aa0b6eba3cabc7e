import { put } from '#cli/ask/put';
import type { Context } from '#cli/context';
import { EXIT, type Exit } from '#cli/exit';
import type { Key } from '#cli/screen/key';
import { type Raw, takeKeys } from '#cli/screen/raw';
import { openRegion } from '#cli/screen/region';
import type { Question } from '#contract/question';
import { drawInbox } from './draw';
import type { Filter } from './filter';
import { listen, type News } from './news';
import { pressInbox } from './press';
import { marked, shownOn } from './shelf';

const TICK_MS = 1_000;

/** The inbox for a person: choose, answer, and the next is there, until they leave. */
export async function inboxOnScreen(context: Context, filter: Filter): Promise<Exit> {
  const news = listen(context, filter);
  try {
    return await answerAll(context, news);
  } finally {
    news.stop();
  }
}

async function answerAll(context: Context, news: News): Promise<Exit> {
  let next: Question | undefined;
  for (;;) {
    const question = next ?? (await choose(context, news));
    if (!question) return leave(news);
    const { kind, question: now } = await news.during(question, (gone) => put(context, question, gone));
    if (kind === 'left') return leave(news);
    const isOver = kind === 'settled' || kind === 'kept' || kind === 'gone';
    if (isOver) news.tell(now, kind === 'kept');
    // Whoever put one off, or may not answer it, looks for another.
    next = isOver ? marked(news.shelf) : undefined;
  }
}

function leave({ shelf }: News): Exit {
  return shownOn({ ...shelf, filter: undefined }).length > 0 ? EXIT.waiting : EXIT.completed;
}

/** Nothing where they leave. */
async function choose({ terminal }: Context, news: News): Promise<Question | undefined> {
  const region = openRegion(terminal);
  const draw = () => {
    const room = {
      width: terminal.width(),
      height: terminal.height(),
      style: terminal.style,
      now: Date.now(),
    };
    region.draw(drawInbox(news.shelf, room, news.said));
  };
  const ticking = setInterval(draw, TICK_MS);
  terminal.output.on('resize', draw);
  news.onChange = draw;
  let raw: Raw | undefined;
  try {
    const chosen = new Promise<Question | undefined>((resolve) => {
      const onKey = (key: Key) => {
        const pressed = pressInbox(news.shelf, key);
        if (pressed.kind === 'leave') return resolve(undefined);
        if (pressed.kind === 'open') return resolve(marked(news.shelf));
        news.shelf = pressed.shelf;
        draw();
      };
      const onEnd = () => resolve(undefined);
      raw = takeKeys(terminal, { onKey, onEnd, onStop: region.forget, onBack: draw });
      draw();
    });
    return await Promise.race([chosen, news.broken]);
  } finally {
    news.onChange = () => undefined;
    clearInterval(ticking);
    terminal.output.off('resize', draw);
    region.clear();
    raw?.restore();
  }
}
