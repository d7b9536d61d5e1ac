package demo

// Characters that editors like to normalise or that are several code points long are written as escapes, so that they stay what they are.
const (
	familyEmoji    = "\U0001F469\u200D\U0001F468\u200D\U0001F467"                             // woman, man and girl, joined
	walkingEmoji   = "\U0001F6B6\U0001F3FD\u200D\u2640\uFE0F"                                 // a woman walking, with a skin tone
	portugalFlag   = "\U0001F1F5\U0001F1F9"                                                   // two regional letters
	norwayFlag     = "\U0001F1F3\U0001F1F4"                                                   // two regional letters
	scotlandFlag   = "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F" // a black flag and tags
	combiningCafe  = "cafe\u0301"                                                             // e and a combining acute
	combiningNaive = "nai\u0308ve"                                                            // i and a combining diaeresis
	combiningName  = "Chloe\u0301"                                                            // e and a combining acute
	keycapThree    = "3\uFE0F\u20E3"                                                          // a digit in a key
	coupleEmoji    = "\U0001F469\u200D\u2764\uFE0F\u200D\U0001F468"                           // woman, heart and man, joined
)

// diarySentences are what the English diary says, one day after the other. They are templates.
func diarySentences() []string {
	return []string{
		"Rain until [ten|noon|three], then a sky like a washed plate.",
		"Fog in the harbour; only the masts knew where they were.",
		"Sun " + "☀️" + ", and half the street sat on its doorsteps.",
		"Wind from the west, the kind that reads your letters before you do.",
		"Frost on the deck, and Biscuit 🐕 walked as if on piano keys.",
		"Everyone at home " + familyEmoji + ", which happens less often than I say it does.",
		"Ida read aloud for [ten|twenty] minutes and did all the voices.",
		"Ida lost a tooth 🦷 and negotiated with the fairy in writing.",
		"Ida asked where the tide goes. I work with tides and still had to think.",
		"Sam cooked {dish} and used [every pan|only one pan, which I mention for the record].",
		"Sam and I " + coupleEmoji + " managed a whole conversation without a single logistics item.",
		"Walked [the towpath|to the bridge|round the docks] " + walkingEmoji + " with {friend} and solved nothing, pleasantly.",
		"A long call about {fragment}. I was right, which was no help.",
		"{one} fixed in an hour what I had explained for a week.",
		"Wrote the plan for {project} and deleted the better half of it.",
		"Two good hours on {project} before the first meeting, like finding money in a coat.",
		"The gauge in {harbour} came back by itself. I do not trust it.",
		"Coffee at the " + combiningCafe + " by the library, and a " + combiningNaive + " plan to read there every week.",
		combiningName + " lent me a novel with pencil in the margins; I am reading her as much as the book.",
		"Choir: the altos found the entry at last, all of us, at the same time 🎶.",
		"Choir was cold. We sang in coats and sounded like it.",
		"Ran {n:5-17} kilometres 🏃🏽‍♀️ and was overtaken by [a pram|a swan|my own good intentions].",
		"My knee has opinions. I listened, and took the bus.",
		"Japanese with Yuki: I can now apologise in " + keycapThree + " degrees of politeness.",
		"Wrote ten sentences for Leila and got nine back in green ink.",
		"Mum rang. Her garden is fine, her neighbours are not, her hip is 'a hip'.",
		"Emil sent a photograph of [a lighthouse|his boat|a very large fish], with no words, as is his way.",
		"Paid the bills, all of them, and felt briefly like a person in a brochure.",
		"Found the glove. Lost the other one.",
		"Planned Lisbon " + portugalFlag + " on the kitchen floor with maps and biscuits.",
		"Thought of Oslo " + norwayFlag + " and of the light at eleven in the evening.",
		"Remembered Edinburgh " + scotlandFlag + ", the stairs, and the stranger who carried the pram up all of them.",
		"Tomatoes 🍅: {n:2-19} ripe, the rest still thinking about it.",
		"Baked bread. It rose on one side only, like an eyebrow.",
		"A seal in the dock 🦭. The whole office stood at the window and nobody was late for anything.",
		"Nothing happened, thoroughly.",
		"Slept badly and was kind anyway, I think.",
		"Saw {film}. The ending is a door left open, and I am still in the draught.",
		"Mended the bicycle bell. Rang it all the way home 🚲.",
		"Three letters to answer. Answered the shortest.",
		"I wrote the word 'finished' today and meant it.",
		"Dinner outside for the [first|last] time, with blankets and a candle 🕯️ that would not stay lit.",
		"The neighbours' cat watched me weed, and was not impressed.",
		"Counted the boats with Ida: {n:9-42}, or one more if you count the bath toy.",
		"Read until the page swam, which is how I like to be put to sleep 🌙.",
	}
}

// japaneseSentences are what the diary says that Nora writes for her Japanese lessons. They are templates.
func japaneseSentences() []string {
	return []string{
		"今日は朝から[雨が降っていました|とてもいい天気でした|風が強かったです|霧で港が見えませんでした]。",
		"[六時|六時半|七時]に起きて、犬のビスケットと川まで散歩しました。",
		"朝ごはんは[パンとコーヒー|ご飯と味噌汁|ヨーグルトと果物]でした。",
		"娘のアイダは[学校で絵を描いた|新しい歌を覚えた|友だちと海の本を読んだ]そうです。",
		"会社では、港の水位を測る機械について長い会議がありました。",
		"会議は[一時間|二時間]もかかりましたが、いい考えが[一つ|二つ]出ました。",
		"昼休みに同僚と[スープ|カレー|サンドイッチ]を食べながら、週末の話をしました。",
		"[ポルト|オスロ|ロッテルダム]の港から、機械がまた動き出したという電話がありました。",
		"夕方、図書館に寄って、[灯台|潮の満ち引き|日本の台所]についての本を借りました。",
		"田中さんに作文を直してもらいました。赤い字が[少なくて|思ったより多くて]、[うれしかったです|びっくりしました]。",
		"新しい漢字を{n:3-9}個習いましたが、明日まで覚えていられるでしょうか。",
		"「潮」という漢字は、朝という字が入っているので好きです。",
		"夫のサムが[魚のスープ|きのこのご飯|野菜のカレー]を作ってくれました。とてもおいしかったです。",
		"夜は合唱の練習があって、みんなで同じところを何度も歌いました。",
		"アルトの入り方がむずかしくて、今日も少し遅れてしまいました。",
		"母から電話があって、庭の[りんごの木|バラ|トマト]の話を三十分も聞きました。",
		"弟から写真が届きました。写っていたのは[大きな魚|古い船|誰もいない灯台]だけでした。",
		"{n:5-15}キロ走りました。足は疲れましたが、気持ちは軽くなりました。",
		"橋の上で、知らない人に道を聞かれて、ゆっくり説明しました。",
		"帰り道に、ドックでアザラシを見ました。みんな立ち止まって、静かに見ていました。",
		"京都へ行ったら、まず小さな喫茶店に入って、窓のそばに座りたいです。",
		"京都の叔母さんへのおみやげを考えています。[紅茶|クッキー|手ぬぐいに似た布]がいいかもしれません。",
		"電車の中で、となりの人が編み物をしていました。青い毛糸がきれいでした。",
		"古い自転車のベルを直しました。鳴らしてみると、なつかしい音がしました。",
		"パンを焼きましたが、片方だけふくらんでしまいました。それでも味はよかったです。",
		"[庭|台所|階段]の電球を替えました。明るくなると、ほこりもよく見えます。",
		"今日は何も特別なことがありませんでした。そういう日も大切だと思います。",
		"寝る前に、アイダと港の船を数えました。全部で{n:12-40}そうありました。",
		"「ただいま」という言葉は、英語ではうまく言えません。だから家では日本語で言います。",
		"敬語はまだむずかしいです。丁寧に話そうとすると、文がどんどん長くなります。",
		"田中さんは、まちがいは道しるべのようなものだと言いました。",
		"雨の音を聞きながら、日本語で手紙を書きました。一枚に二時間かかりました。",
		"友だちのレイラさんと喫茶店で会って、言葉を習う楽しさについて話しました。",
		"来週の予定は、歯医者と、学校の面談と、友だちの誕生日です。",
		"数え方をまた忘れました。船は一そう、犬は一匹、本は一冊です。",
		"窓を開けると、海のにおいがしました。春はもう近いようです。",
		"日が短くなって、四時にはもう暗いです。ろうそくをつけて本を読みました。",
		"映画を見ました。話はよく分かりませんでしたが、音楽がすばらしかったです。",
		"近所の猫が、草を取っている私をずっと見ていました。手伝ってはくれませんでした。",
		"手袋を片方見つけたら、もう片方をなくしました。",
	}
}

// arabicSentences are what the diary says that Nora writes for her Arabic lessons. They are templates.
func arabicSentences() []string {
	return []string{
		"استيقظت اليوم في الساعة [السادسة|السادسة والنصف|السابعة] وشربت القهوة قرب النافذة.",
		"كان الجو [ماطرا|مشمسا|باردا|غائما] في الصباح ثم تغير بعد الظهر.",
		"مشيت مع الكلب بسكويت على طول النهر حتى الجسر القديم.",
		"قرأت ابنتي إيدا صفحة كاملة بصوت عال ولم تتوقف إلا مرة واحدة.",
		"سألتني إيدا: إلى أين يذهب البحر عندما ينخفض الماء؟",
		"في العمل ناقشنا الجهاز الجديد الذي يقيس مستوى الماء في الميناء.",
		"كان الاجتماع طويلا، لكننا وصلنا في النهاية إلى قرار [واضح|بسيط|جيد].",
		"اتصل بنا مهندس من ميناء [بورتو|أوسلو|روتردام] وقال إن القياسات صحيحة الآن.",
		"أكلت في الظهيرة [حساء العدس|سلطة وخبزا|أرزا مع الخضار] مع زملائي.",
		"بعد العمل ذهبت إلى المكتبة واستعرت كتابا عن [المنارات|المدن القديمة|البحر].",
		"التقيت بصديقتي ليلى في المقهى، وصححت لي الجمل التي كتبتها.",
		"تعلمت {n:4-12} كلمات جديدة، وأرجو ألا أنساها غدا.",
		"أحب كلمة «مد» لأنها قصيرة، ومع ذلك فيها بحر كامل.",
		"أفعال الحركة صعبة قليلا، لكن ليلى تقول إن الصبر نصف الطريق.",
		"طبخ سام [سمكا بالليمون|خضارا بالفرن|حساء ساخنا] وكان الطعام لذيذا.",
		"في المساء غنينا في الجوقة حتى تعبت أصواتنا.",
		"اتصلت أمي وتحدثت عن حديقتها وعن جيرانها نصف ساعة.",
		"أرسل أخي صورة [لمنارة بعيدة|لقارب صغير|لسمكة كبيرة] من غير أي كلمة.",
		"ركضت {n:5-15} كيلومترا، ثم جلست قرب الماء أستريح.",
		"رأينا فقمة في الميناء، فوقف الجميع عند النافذة صامتين.",
		"دفعت الفواتير كلها ثم رتبت الأوراق في الدرج.",
		"خبزت خبزا في البيت، فارتفع من جهة واحدة فقط، لكن طعمه كان طيبا.",
		"خططنا للسفر إلى لشبونة، ووضعنا الخريطة على أرض المطبخ.",
		"أصلحت جرس الدراجة، وسمعه الأطفال في آخر الشارع.",
		"كتبت رسالة قصيرة بالعربية، واحتجت إلى ساعتين كاملتين.",
		"قالت ليلى إن خطي أصبح أجمل، وإن أخطائي أصبحت أقل.",
		"لم يحدث اليوم شيء خاص، وهذا أيضا جميل.",
		"قبل النوم عددنا القوارب من النافذة، وكانت {n:12-40} قاربا.",
		"كانت السماء في الليل صافية، فرأينا القمر فوق الماء.",
		"حفظت بيتا من الشعر عن المطر وأعدته في الطريق إلى البيت.",
		"سألت البائع عن السعر بالعربية، فابتسم وأجابني ببطء.",
		"وجدت القفاز الذي ضاع، ثم أضعت القفاز الآخر.",
		"شاهدت فيلما عن عائلة تعيش قرب البحر، وأعجبتني الموسيقى.",
		"الأسبوع القادم عندي موعد عند طبيب الأسنان وعيد ميلاد صديقة.",
		"شربنا الشاي بالنعناع وتحدثنا عن معنى كلمة «بيت».",
		"أظن أن اللغة مثل الميناء: تصل إليها سفن كثيرة.",
	}
}
