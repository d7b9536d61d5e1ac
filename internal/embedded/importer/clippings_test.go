package importer

import "testing"

// A Kindle writes the kind, place and time of a clipping in its own language, and the file mixes languages after a change. A date in
// another language is not converted.
func TestClippingsHaveKindTimeAndPlace(t *testing.T) {
	for line, want := range map[string][2]any{
		"- Your Highlight on page 1 | Location 10-12 | Added on Monday, 30 December 2024 14:46:33":                                  {"highlight", "2024-12-30T14:46:33"},
		"- Your Note on Location 5 | Added on Monday, July 20, 2020 12:58:07 AM":                                                    {"note", "2020-07-20T00:58:07"},
		"- Your Bookmark on page 2 | Location 10-13 | Added on Friday, 31 January 2025 15:18:36":                                    {"bookmark", "2025-01-31T15:18:36"},
		"- Clip This Article on Location 20-25 | Added on Monday, January 1, 2024 10:00:00 AM":                                      {"clip", "2024-01-01T10:00:00"},
		"- Ihre Markierung auf Seite 42 | Position 1234-1236 | Hinzugefügt am Montag, 30. Dezember 2024 14:46:33":                   {"highlight", "2024-12-30T14:46:33"},
		"- Ihre Notiz bei Position 12 | Hinzugefügt am Montag, 30. Dezember 2024 14:46:33":                                          {"note", "2024-12-30T14:46:33"},
		"- Ihr Lesezeichen bei Position 12 | Hinzugefügt am Montag, 30. Dezember 2024 14:46:33":                                     {"bookmark", "2024-12-30T14:46:33"},
		"- Votre surlignement sur la page 12 | emplacement 145-147 | Ajouté le mardi 5 mars 2024 09:12:45":                          {"highlight", "2024-03-05T09:12:45"},
		"- Votre note Emplacement 3752 | Ajoutée le vendredi 16 novembre 2018 à 13:51:19":                                           {"note", "2018-11-16T13:51:19"},
		"- Votre signet Emplacement 5527 | Ajouté le vendredi 16 novembre 2018 à 11:51:19":                                          {"bookmark", "2018-11-16T11:51:19"},
		"- La subrayado en la página 14 | posición 182-183 | Añadido el lunes, 25 de noviembre de 2019 0:43:38":                     {"highlight", "2019-11-25T00:43:38"},
		"- Tu nota en la página 7 | posición 89 | Añadido el martes, 12 de marzo de 2024 21:30:15":                                  {"note", "2024-03-12T21:30:15"},
		"- Tu marcador en la página 7 | posición 89 | Añadido el martes, 12 de marzo de 2024 21:30:15":                              {"bookmark", "2024-03-12T21:30:15"},
		"- La tua evidenziazione alla posizione 512-514 | Aggiunto in data martedì 5 marzo 2024 18:40:02":                           {"highlight", "2024-03-05T18:40:02"},
		"- Il tuo segnalibro alla posizione 512 | Aggiunto in data martedì 5 marzo 2024 18:40:02":                                   {"bookmark", "2024-03-05T18:40:02"},
		"- Seu destaque na página 33 | posição 410-412 | Adicionado: terça-feira, 5 de março de 2024 09:12:45":                      {"highlight", "2024-03-05T09:12:45"},
		"- Je markering op pagina 6 | locatie 36-40 | Toegevoegd op maandag 30 september 2019 18:00:39":                             {"highlight", "2019-09-30T18:00:39"},
		"- Je notitie op pagina 6 | locatie 36 | Toegevoegd op maandag 30 september 2019 18:00:39":                                  {"note", "2019-09-30T18:00:39"},
		"- Ваш выделенный отрывок на странице 5 | Местоположение 1234-1236 | Добавлено: понедельник, 30 декабря 2024 г. в 14:46:33": {"highlight", "понедельник, 30 декабря 2024 г. в 14:46:33"},
		"– Ваша закладка на странице 40 | Место 600 | Добавлено: суббота, 3 мая 2026 г. в 4:46:33":                                  {"bookmark", "суббота, 3 мая 2026 г. в 4:46:33"},
		"- 您在第 7 页（位置 #114-116）的标注 | 添加于 2024年3月5日星期二 下午9:12:45":                                                                    {"highlight", "2024年3月5日星期二 下午9:12:45"},
		"- 您在位置 #10的笔记 | 添加于 2024年3月5日星期二 上午12:12:45":                                                                               {"note", "2024年3月5日星期二 上午12:12:45"},
		"- 5ページ|位置No. 68-69のハイライト |作成日: 2018年1月5日金曜日 22:55:44":                                                                      {"highlight", "2018年1月5日金曜日 22:55:44"},
		"- 位置No. 200のブックマーク | 追加日： 2024年4月3日水曜日 08:00:00":                                                                           {"bookmark", "2024年4月3日水曜日 08:00:00"},
		"- Þú merktir á síðu 5 | staðsetning 60 | Bætt við mánudagur 30 desember 2024":                                              {nil, nil},
	} {
		records, skips := loaded(t, "My Clippings.txt", "Book (A)\r\n"+line+"\r\n\r\nx\r\n==========\r\n")
		if got := records["My_Clippings"]; len(got) != 1 || got[0]["kind"] != want[0] || got[0]["created_at"] != want[1] || got[0]["place"] == "" || len(skips) > 0 {
			t.Errorf("%s: got %v, want %v; %v", line, records, want, skips)
		}
	}
}
